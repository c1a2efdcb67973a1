"""Planned versus actual, live: sealed bars, actual bars, forecast, and the one answer."""
