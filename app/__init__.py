"""Punktum's server: the rooms of a campaign's life and the walls around them."""
