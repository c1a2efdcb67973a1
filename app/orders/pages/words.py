"""How the pages of orders call what the record holds by a short key."""

from __future__ import annotations

from app.orders.rules import (
    CANCELLATION,
    CORRECTION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    PRICE,
    REFUND,
    REVERSAL,
    USABLE_UNTIL,
)
from app.texts import Text, text

TONES = {
    "active": "run", "ended": "done", "payment_failed": "fail", "cancelled": "stop",
}  # fmt: skip

START_BASES: dict[str, Text] = {
    "fixed": text("fixed times"),
    "on_delivery": text("starts when the machine is handed over"),
}
END_POLICIES: dict[str, Text] = {
    "wiped": text("wiped at the end"),
    "kept_until": text("kept until a stated time"),
    "kept_and_billed": text("kept and billed on"),
    "auto_renews": text("renews by itself"),
}
WAY_NAMES: dict[str, Text] = {
    "form": text("the form"),
    "paste": text("a pasted text"),
    "csv": text("a CSV file"),
    "api": text("the API"),
}
CHANGE_NAMES: dict[str, Text] = {
    REVERSAL: text("Reversal"),
    REFUND: text("Refund"),
    CREDIT: text("Credit"),
    CORRECTION: text("Correction of the price"),
    PRICE: text("Price stated"),
    EXTENSION: text("Extension"),
    CANCELLATION: text("Cancelled"),
    PAYMENT_FAILED: text("Payment failed"),
    USABLE_UNTIL: text("Usable until"),
}

RENEWS: dict[str, Text] = {"yes": text("yes"), "no": text("no")}

NOT_STATED: dict[str, Text] = {"": text("not stated")}
"""The choice that stands first wherever a provider may have said nothing."""
