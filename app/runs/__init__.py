"""Runs: the API that jobs post to, run state, stop rules, liveness, and people's time."""
