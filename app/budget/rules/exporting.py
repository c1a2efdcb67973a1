"""Which FOCUS rows go into one file, and why they cannot where something is to be said first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.budget.rules.focus import FocusRows, Row
from app.budget.rules.focus_file import by_invoice, focus_problems, of_version
from app.texts import Text, ntext, text

LEAVE_OUT = "leave_out"


@dataclass(frozen=True, slots=True)
class FocusChoice:
    """What a person says about a file: its version, `invoices` "with" or "without" where the
    rows are of both kinds, "leave_out" for what has no price, and who charged what names
    nobody."""

    version: str = "1.2"
    invoices: str | None = None
    unpriced: str | None = None
    charged_by: str | None = None


@dataclass(frozen=True, slots=True)
class FocusRefusal:
    """Why no file is made, and which parameter answers it with one of `allowed`."""

    field: str
    text: Text
    allowed: tuple[str, ...] = ()


def chosen_rows(found: FocusRows, choice: FocusChoice) -> tuple[Row, ...] | FocusRefusal:
    """The rows of one file by a person's choice; a refusal says what is to be chosen.

    Nothing is left out silently: what FOCUS cannot hold is named first.
    """
    if found.unnamed:
        said = ntext(
            "{n} expense does not say who charged it: give charged_by, the name to write for it.",
            "{n} expenses do not say who charged them: give charged_by, the name to write for "
            "them.",
            found.unnamed,
        )
        return FocusRefusal("charged_by", said)
    if found.unpriced and choice.unpriced != LEAVE_OUT:
        said = ntext(
            "{n} lot has no price yet, and FOCUS has no word for a cost that is not known. State "
            "the price, or leave it out with unpriced=leave_out.",
            "{n} lots have no price yet, and FOCUS has no word for a cost that is not known. "
            "State the prices, or leave them out with unpriced=leave_out.",
            found.unpriced,
        )
        return FocusRefusal("unpriced", said, (LEAVE_OUT,))
    parts = by_invoice(found.rows)
    if choice.invoices is not None:
        return _sound(parts[choice.invoices], choice.version)
    if all(parts.values()):
        said = text(
            "Some charges belong to an invoice and some do not, and FOCUS does not mix them: ask "
            "for one file with invoices=with and one with invoices=without."
        )
        return FocusRefusal("invoices", said, tuple(parts))
    return _sound(found.rows, choice.version)


def _sound(rows: Sequence[Row], version: str) -> tuple[Row, ...] | FocusRefusal:
    """The rows, or the first thing that the strict check finds wrong with them."""
    wrong = focus_problems([of_version(row, version) for row in rows], version)
    if not wrong:
        return tuple(rows)
    first = wrong[0]
    number = rows[first.row - 1]["x_JournalNumber"] if first.row else None
    said = text(
        "Entry {number} cannot be written as FOCUS: {column}: {why}",
        number=number or "–",
        column=first.column,
        why=first.why,
    )
    return FocusRefusal("focus", said)
