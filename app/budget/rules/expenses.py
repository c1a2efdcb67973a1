"""Money really charged outside the lots: one row for each charge, credit or correction.

A refund, credit or correction is a row of its own, negative where it lowers the sum; one that
belongs to an earlier row points at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from app.orders.rules import Problem, day_problem, line_problem, tidy
from app.texts import Text, text
from app.units import CURRENCIES, MAX_MINOR, Money

KINDS: tuple[str, ...] = ("storage", "transfer", "tax", "support", "other")

TAX = "tax"
TAX_STATES: tuple[str, ...] = ("included", "excluded")

KIND_NAMES: dict[str, Text] = {
    "storage": text("Storage"),
    "transfer": text("Transfer"),
    "tax": text("Tax as printed on the invoice"),
    "support": text("Support"),
    "other": text("Other"),
}
"""How each kind is named to a person; a tax is only ever the amount that was printed."""

TAX_STATE_NAMES: dict[str | None, Text] = {
    "included": text("included in the printed prices"),
    "excluded": text("on top of the printed prices"),
    None: text("not stated whether included"),
}
"""What an invoice says about a tax that it prints; None is what it does not say."""

_LINE, _NOTE = 200, 2000


def tax_said(state: str | None) -> Text:
    """A tax together with what the invoice says of it."""
    return text("{kind}, {state}", kind=KIND_NAMES[TAX], state=TAX_STATE_NAMES[state])


@dataclass(frozen=True, slots=True)
class Expense:
    """One row of the record; `corrects` is the number of the row that it belongs to.

    `tax_state` (of a tax alone) is None where the invoice does not state it, `provider` where
    nobody said who charged it. `after_close` rows stand beside the closed figures.
    """

    number: int
    logged_at: datetime
    logged_by: str
    kind: str
    amount_minor: int
    currency: str
    charged_on: date
    note: str | None
    reference: str | None
    corrects: int | None
    tax_state: str | None = None
    provider: str | None = None
    after_close: bool = False


@dataclass(frozen=True, slots=True)
class NewExpense:
    """An expense as it is said; `amount_minor` below zero is a refund or credit.

    A `reference` (an invoice's number, say) makes it recognisable: said again it is the same.
    """

    kind: str
    amount_minor: int
    currency: str
    charged_on: date
    note: str | None = None
    reference: str | None = None
    corrects: int | None = None
    tax_state: str | None = None
    provider: str | None = None

    def __post_init__(self) -> None:
        for name in ("note", "reference", "provider"):
            object.__setattr__(self, name, tidy(getattr(self, name) or "") or None)


def problems(new: NewExpense) -> tuple[Problem, ...]:
    """Everything that is wrong with an expense by itself."""
    return tuple(_problems(new))


def _problems(new: NewExpense) -> Iterator[Problem]:
    if new.kind not in KINDS:
        yield Problem("kind", text("Choose what the expense was for."), KINDS)
    if new.tax_state is not None and (new.kind != TAX or new.tax_state not in TAX_STATES):
        said = text("Only a tax is included in the printed prices or on top of them.")
        yield Problem("tax_state", said, TAX_STATES if new.kind == TAX else ())
    if new.currency not in CURRENCIES:
        said = text("“{given}” is not a current currency code of ISO 4217.", given=new.currency)
        yield Problem("currency", said)
    if new.amount_minor == 0:
        yield Problem("amount", text("An expense of nothing is not logged."))
    elif abs(new.amount_minor) > MAX_MINOR:
        yield Problem("amount", text("This amount is too large."))
    if said_of_day := day_problem(new.charged_on):
        yield Problem("charged_on", said_of_day)
    lines = (
        line_problem("note", new.note, _NOTE),
        line_problem("reference", new.reference, _LINE),
        line_problem("provider", new.provider, _LINE),
    )
    yield from (problem for problem in lines if problem)


def after_close_problem(new: NewExpense) -> Text | None:
    """Why a closed campaign does not take this row: it is neither a refund nor an invoice's."""
    if new.amount_minor < 0 or (new.reference is not None and new.corrects is None):
        return None
    return text(
        "This campaign was closed. It still takes a refund or credit, and a charge with the "
        "number of its invoice."
    )


def family(expenses: Iterable[Expense], number: int) -> tuple[Expense, ...]:
    """A charge and the rows that point at it."""
    return tuple(row for row in expenses if number in (row.number, row.corrects))


def net_minor(rows: Iterable[Expense]) -> int:
    """The sum of a charge and its corrections, which share one currency."""
    return sum(row.amount_minor for row in rows)


def correction_problem(new: NewExpense, rows: tuple[Expense, ...]) -> Problem | None:
    """Why `new` cannot correct the charge that `rows` begin with.

    A correction keeps the currency and the kind and leaves no less than nothing.
    """
    first = rows[0]
    if first.corrects is not None:
        whole = str(first.corrects)
        said = text("This row corrects row {number}: correct that one.", number=whole)
        return Problem("corrects", said, (whole,))
    if new.currency != first.currency:
        said = text("The charge is in {currency}; its correction is too.", currency=first.currency)
        return Problem("currency", said, (first.currency,))
    if new.kind != first.kind:
        said = text("A correction is of the same kind as the charge.")
        return Problem("kind", said, (first.kind,))
    left = net_minor(rows)
    if left + new.amount_minor < 0:
        said = text("Only {left} of this charge is left.", left=Money(left, first.currency))
        return Problem("amount", said)
    return None


def find_same(expenses: Iterable[Expense], new: NewExpense) -> Expense | None:
    """The row that this expense names by its reference, if it has one.

    Two providers may use the same number; one that nobody named fits any.
    """
    if new.reference is None:
        return None
    for row in expenses:
        if (row.reference, row.kind, row.corrects) == (
            new.reference, new.kind, new.corrects,
        ) and _may_be_one(row.provider, new.provider):  # fmt: skip
            return row
    return None


def _may_be_one(recorded: str | None, said: str | None) -> bool:
    return recorded is None or said is None or recorded.casefold() == said.casefold()


def differing(row: Expense, new: NewExpense) -> tuple[str, ...]:
    """The fields in which a row says otherwise than it is said now."""
    pairs = {
        "amount": (row.amount_minor, new.amount_minor),
        "currency": (row.currency, new.currency),
        "charged_on": (row.charged_on, new.charged_on),
        "note": (row.note, new.note),
        "tax_state": (row.tax_state, new.tax_state),
        "provider": (row.provider, new.provider),
    }
    return tuple(name for name, (recorded, said) in pairs.items() if recorded != said)
