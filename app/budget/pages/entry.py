"""The forms of the budget: a charge, and the correction of one, as typed and as read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from app.budget.rules import KIND_NAMES, NewExpense, problems
from app.errors import AppError
from app.orders.rules import read_amount, read_day, reason_problem
from app.texts import Text
from app.units import CURRENCIES, amount_text, zone
from app.web import Form

_COMMON = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "VND")
_NAMES = {"charged_on": "day", "currency": "amount"}


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
        """The kinds to choose from."""
        return tuple(KIND_NAMES.items())

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, the likely ones first."""
        first = dict.fromkeys((self.get("amount_currency"), *_COMMON))
        return (*(code for code in first if code in CURRENCIES), *sorted(CURRENCIES - set(first)))

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple(self.errors.items())


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
    new = NewExpense(
        kind=entry.get("kind"),
        amount_minor=minor,
        currency=currency,
        charged_on=day,
        note=entry.get("note").replace("\r\n", "\n"),
        reference=entry.get("reference"),
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
