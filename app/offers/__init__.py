"""The catalogue of lots that can be rented."""
