"""Every decision about runs, as pure functions on frozen dataclasses."""
