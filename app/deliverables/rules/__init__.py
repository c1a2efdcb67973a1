"""Manifests, announced checks and their evidence, and what makes a deliverable accepted."""
