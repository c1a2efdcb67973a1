"""Logging, correcting, reversing and refunding orders; their projections register here."""

from app.orders.commands import projections
from app.orders.commands.change import refund_order, reverse_order
from app.orders.commands.log import correct_order, log_order
from app.orders.commands.refusals import Logged, OrderDiffers, refuse, reversed_before

__all__ = [
    "Logged", "OrderDiffers", "correct_order", "log_order", "projections", "refund_order",
    "refuse", "reverse_order", "reversed_before",
]  # fmt: skip
