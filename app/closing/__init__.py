"""The close: what was decided, what it cost, planned against actual, and the report."""
