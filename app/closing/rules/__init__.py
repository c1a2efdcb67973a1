"""Deviations and who owes a word on them, what is still open, and the report as plain data."""
