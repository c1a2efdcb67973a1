"""What a pasted confirmation says of an order: every value with the words that it was read from."""

from app.orders.rules.pasting.masking import mask
from app.orders.rules.pasting.model import (
    FIELDS,
    MAX_PASTE,
    TIMES,
    Asked,
    Candidate,
    Found,
    Pasted,
    Value,
    Way,
)
from app.orders.rules.pasting.reading import read_paste

__all__ = [
    "FIELDS", "MAX_PASTE", "TIMES", "Asked", "Candidate", "Found", "Pasted", "Value", "Way",
    "mask", "read_paste",
]  # fmt: skip
