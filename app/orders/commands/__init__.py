"""Logging quotes and orders and changing them; their projections register here."""

from app.orders.commands import projections
from app.orders.commands.change import change_order, refund_order, reverse_order
from app.orders.commands.log import correct_order, log_order
from app.orders.commands.quote import log_quote
from app.orders.commands.refusals import Logged, OrderDiffers, refuse, reversed_before

__all__ = [
    "Logged", "OrderDiffers", "change_order", "correct_order", "log_order", "log_quote",
    "projections", "refund_order", "refuse", "reverse_order", "reversed_before",
]  # fmt: skip
