"""Every decision of the planner, as pure functions on frozen dataclasses."""
