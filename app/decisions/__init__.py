"""Decision points, the decision log, and what the runs say by the decision rule."""
