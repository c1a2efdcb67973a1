"""What the commands of this room answer: where the record holds it, or why it is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.errors import Conflict, Malformed, NotFound
from app.orders.rules import Difference, Order, Problem, differences_as_json
from app.texts import text


@dataclass(frozen=True, slots=True)
class Logged:
    """The entry that holds what was asked for; `is_new` is false where it was there before."""

    number: int
    is_new: bool


class OrderDiffers(Conflict):
    """The same provider, account and reference, with other facts than the record has."""

    name = "order-differs"

    def __init__(self, order: Order, found: Iterable[Difference]) -> None:
        self.order = order
        self.differences = tuple(found)
        super().__init__(
            text(
                "Order {reference} is in the record already, with other facts: {fields}. "
                "Correct it there if the record is wrong.",
                reference=order.reference,
                fields=tuple(difference.name for difference in self.differences),
            ),
            field=self.differences[0].field,
            order=order.number,
            difference=differences_as_json(self.differences, order.currency),
        )


def refuse(found: Iterable[Problem]) -> Malformed:
    """The refusal of what is wrong by itself: the first problem in words, all in a list."""
    listed = tuple(found)
    first = listed[0]
    return Malformed(
        first.text,
        field=first.field,
        allowed=first.allowed or None,
        problems=[{"field": problem.field, "detail": str(problem.text)} for problem in listed],
    )


def unknown_order(number: int) -> NotFound:
    """There is no such order in the campaign."""
    return NotFound(text("There is no order {number} in this campaign.", number=str(number)))


def reversed_before(order: Order, field: str | None = None) -> Conflict:
    """The order does not count any more."""
    said = text("Order {reference} was reversed before.", reference=order.reference)
    return Conflict(said, field=field, order=order.number)
