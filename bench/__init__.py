"""Benchmarks: what the product costs, as ratios within one run where machines differ."""
