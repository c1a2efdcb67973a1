"""The form of a refund: what was typed and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from app.orders.rules import read_amount, read_day, reason_problem
from app.texts import Text, text
from app.units import zone
from app.web import Form


@dataclass(slots=True)
class RefundEntry:
    """A refund as typed; `amount_minor` and `on` are None until they can be read."""

    currency: str
    amount: str = ""
    day: str = ""
    reason: str = ""
    amount_minor: int | None = None
    on: date | None = None
    errors: dict[str, Text] = field(default_factory=dict)
    readings: tuple[tuple[str, str, None], ...] = ()

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        self.errors.setdefault(name, why)

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple((f"refund.{name}", why) for name, why in self.errors.items())


def refund_form(currency: str, zone_name: str, now: datetime) -> RefundEntry:
    """An empty form, the day proposed as today in the campaign's zone."""
    return RefundEntry(currency, day=now.astimezone(zone(zone_name)).date().isoformat())


def read_refund(form: Form, currency: str) -> RefundEntry:
    """The form as typed, with what is wrong in its `errors`."""
    entry = RefundEntry(
        currency,
        form.get("refund.amount"),
        form.get("refund.day"),
        form.get("refund.reason"),
    )
    found = read_amount(entry.amount, currency, form.get("refund.reading"))
    if found.problem is not None:
        entry.refuse("amount", found.problem)
        entry.readings = tuple((one, f"{one} {currency}", None) for one in found.readings)
    elif found.minor == 0:
        entry.refuse("amount", text("A refund is an amount above zero."))
    entry.amount_minor = found.minor
    day = read_day(entry.day)
    if isinstance(day, date):
        entry.on = day
    else:
        entry.refuse("day", day)
    if problem := reason_problem(entry.reason):
        entry.refuse("reason", problem.text)
    return entry
