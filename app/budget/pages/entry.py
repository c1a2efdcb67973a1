"""The forms of the budget as typed and as read: a charge, its correction, a budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from app.budget.rules import (
    KIND_NAMES,
    TAX,
    TAX_STATES,
    Limit,
    NewExpense,
    limit_problems,
    problems,
)
from app.errors import AppError
from app.orders.rules import read_amount, read_day, reason_problem
from app.texts import Text, text
from app.units import CURRENCIES, amount_text, zone
from app.web import Form

_COMMON = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "VND")
_NAMES = {"charged_on": "day", "currency": "amount", "tax_state": "kind"}


_LIMIT_NAMES = {"currency": "limit", "amount": "limit", "reason": "limit_reason"}


_TAXES: dict[str | None, Text] = {
    "included": text("Tax, included in the prices"),
    "excluded": text("Tax, on top of the prices"),
    None: text("Tax, not stated which"),
}
"""Short enough for the list that is chosen from."""


@dataclass(slots=True)
class ExpenseEntry:
    """A form as it stands: texts, what is wrong, and the readings to choose between."""

    values: dict[str, str]
    errors: dict[str, Text] = field(default_factory=dict)
    readings: tuple[tuple[str, str, None], ...] = ()

    def get(self, name: str) -> str:
        """A field's text."""
        return self.values.get(name, "")

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        self.errors.setdefault(_NAMES.get(name, name), why)

    def take(self, refusal: AppError) -> None:
        """What a command refused, at its field."""
        self.refuse(refusal.field or "", refusal.detail)

    @property
    def kinds(self) -> tuple[tuple[str, Text], ...]:
        """The kinds to choose from; a tax together with what the invoice says of it."""
        found: list[tuple[str, Text]] = []
        for kind, name in KIND_NAMES.items():
            if kind != TAX:
                found.append((kind, name))
                continue
            for state in (*TAX_STATES, None):
                found.append((f"{kind}.{state}" if state else kind, _TAXES[state]))
        return tuple(found)

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, the likely ones first."""
        return _currencies(self.get("amount_currency"))

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple(self.errors.items())


@dataclass(slots=True)
class LimitEntry(ExpenseEntry):
    """The form of a budget; its fields have names of their own on the page of charges."""

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        self.errors.setdefault(_LIMIT_NAMES.get(name, name), why)

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, the likely ones first."""
        return _currencies(self.get("limit_currency"))


def _currencies(first: str) -> tuple[str, ...]:
    likely = dict.fromkeys((first, *_COMMON))
    return (*(code for code in likely if code in CURRENCIES), *sorted(CURRENCIES - set(likely)))


def blank_limit(currency: str, limit: Limit | None) -> LimitEntry:
    """The form of a budget with the one there is."""
    minor = limit.amount_minor if limit else None
    amount = "" if minor is None else amount_text(minor, currency)
    return LimitEntry({"limit": amount, "limit_currency": currency})


def read_limit(form: Form) -> tuple[LimitEntry, tuple[str, int | None] | None]:
    """A currency and its budget as typed, None to withdraw it; None with errors where it says
    none."""
    entry = LimitEntry({name: form.get(name) for name in form.values})
    currency, typed = entry.get("limit_currency"), entry.get("limit").strip()
    minor = None
    if typed:
        found = read_amount(typed, currency, entry.get("limit_reading"))
        if found.problem is not None:
            entry.refuse("amount", found.problem)
            entry.readings = tuple((one, f"{one} {currency}", None) for one in found.readings)
        minor = found.minor
    for problem in limit_problems(currency, minor, entry.get("limit_reason")):
        entry.refuse(problem.field, problem.text)
    return entry, None if entry.errors else (currency, minor)


def blank(currency: str, zone_name: str, now: datetime) -> ExpenseEntry:
    """An empty form, the day proposed as today in the campaign's zone."""
    return ExpenseEntry({"amount_currency": currency, "day": _today(zone_name, now)})


def correction(left_minor: int, currency: str, zone_name: str, now: datetime) -> ExpenseEntry:
    """A form that says what a charge counts as now."""
    amount = amount_text(left_minor, currency)
    return ExpenseEntry({"amount": amount, "day": _today(zone_name, now)})


def read_expense(form: Form) -> tuple[ExpenseEntry, NewExpense | None]:
    """The charge as typed, and what it says; None with errors where it says none."""
    entry = ExpenseEntry({name: form.get(name) for name in form.values})
    currency = entry.get("amount_currency")
    minor = _amount(entry, currency)
    day = _day(entry)
    if minor is None or day is None:
        return entry, None
    kind, _, tax_state = entry.get("kind").partition(".")
    new = NewExpense(
        kind=kind,
        amount_minor=minor,
        currency=currency,
        charged_on=day,
        note=entry.get("note").replace("\r\n", "\n"),
        reference=entry.get("reference"),
        tax_state=tax_state or None,
        provider=entry.get("provider"),
    )
    for problem in problems(new):
        entry.refuse(problem.field, problem.text)
    return entry, None if entry.errors else new


def read_correction(form: Form, currency: str) -> tuple[ExpenseEntry, tuple[int, date] | None]:
    """The right amount and its day as typed; None with errors where it says none."""
    entry = ExpenseEntry({name: form.get(name) for name in form.values})
    minor, day = _amount(entry, currency), _day(entry)
    if problem := reason_problem(entry.get("reason")):
        entry.refuse("reason", problem.text)
    if minor is None or day is None or entry.errors:
        return entry, None
    return entry, (minor, day)


def _today(zone_name: str, now: datetime) -> str:
    return now.astimezone(zone(zone_name)).date().isoformat()


def _amount(entry: ExpenseEntry, currency: str) -> int | None:
    found = read_amount(entry.get("amount"), currency, entry.get("amount_reading"), signed=True)
    if found.problem is not None:
        entry.refuse("amount", found.problem)
        entry.readings = tuple((one, f"{one} {currency}", None) for one in found.readings)
    return found.minor


def _day(entry: ExpenseEntry) -> date | None:
    day = read_day(entry.get("day"))
    if isinstance(day, date):
        return day
    entry.refuse("day", day)
    return None
