"""The decision rule applied to results, and what may be entered into the decision log."""
