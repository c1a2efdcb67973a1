"""What closes a campaign: submissions with their evidence, verdicts, retrieval."""
