"""Logging expenses and correcting them, on both kinds of database."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from app.budget.commands import Charged, charge_expense, correct_expense, set_limit
from app.budget.queries import budget_of, expenses_of, limits_of, time_shares, warning
from app.budget.rules import Budget, Expense, NewExpense
from app.db import Database
from app.errors import Closed, Conflict, Malformed, NotFound
from app.journal import append, entries
from app.journal.audit import contents, rebuild
from app.orders.commands import log_order
from app.units import Money
from tests.budget.rows import accepted, attempt, ran
from tests.conftest import NOW, PERSON
from tests.orders.campaigns import ID, START, closed, new_order, opened, plan

ON = date(2026, 12, 1)
STORAGE = NewExpense("storage", 1200, "USD", ON, note="40 GiB")


def charge(database: Database, new: NewExpense = STORAGE) -> Charged:
    return database.write(ID, lambda tx: charge_expense(tx, ID, new, actor=PERSON, now=NOW))


def correct(database: Database, number: int, right: int, reason: str = "a typo") -> Charged:
    return database.write(
        ID, lambda tx: correct_expense(tx, ID, number, right, ON, reason, actor=PERSON, now=NOW)
    )


def limit(
    database: Database, amount: int | None, currency: str = "USD", reason: str = "as agreed"
) -> Charged:
    return database.write(
        ID, lambda tx: set_limit(tx, ID, currency, amount, reason, actor=PERSON, now=NOW)
    )


def limits(database: Database) -> list[tuple[str, int | None]]:
    with database.read() as session:
        return [(one.currency, one.amount_minor) for one in limits_of(session, ID)]


def expenses(database: Database) -> tuple[Expense, ...]:
    with database.read() as session:
        return expenses_of(session, ID)


def read_budget(database: Database, units: int = 0) -> Budget:
    with database.read() as session:
        found = budget_of(session, ID, accepted(units))
    assert found is not None
    return found


def test_an_expense_is_a_row_and_a_sum_of_its_kind(database: Database) -> None:
    opened(database)
    first = charge(database)
    second = charge(database)
    assert (first.is_new, second.is_new) == (True, True)
    assert [row.amount_minor for row in expenses(database)] == [1200, 1200]
    (one,) = read_budget(database).currencies
    assert (one.external, one.committed_minor) == ((("storage", 2400),), 0)


def test_with_a_reference_it_is_logged_once(database: Database) -> None:
    opened(database)
    new = replace(STORAGE, reference="4711")
    first = charge(database, new)
    assert charge(database, new) == Charged(first.number, False)
    with pytest.raises(Conflict) as refused:
        charge(database, replace(new, amount_minor=1300))
    problem = refused.value.problem()
    assert (problem["field"], problem["difference"]) == ("amount", ["amount"])
    assert len(expenses(database)) == 1


def test_a_correction_is_a_row_with_the_difference(database: Database) -> None:
    opened(database)
    number = charge(database).number
    correct(database, number, 1000, "credit for the outage")
    correct(database, number, 0, "all came back")
    rows = expenses(database)
    assert [(row.amount_minor, row.corrects) for row in rows] == [
        (1200, None),
        (-200, number),
        (-1000, number),
    ]
    assert [row.note for row in rows[1:]] == ["credit for the outage", "all came back"]
    (one,) = read_budget(database).currencies
    assert one.external == (("storage", 0),)


def test_corrections_that_make_no_sense_are_refused(database: Database) -> None:
    opened(database)
    number = charge(database).number
    row = correct(database, number, 1000).number
    with pytest.raises(Conflict) as same:
        correct(database, number, 1000)
    assert same.value.field == "amount"
    with pytest.raises(Conflict):
        correct(database, number, -1)
    with pytest.raises(Conflict) as beside:
        charge(database, NewExpense("storage", -100, "USD", ON, corrects=row))
    assert beside.value.field == "corrects"
    with pytest.raises(Malformed) as silent:
        correct(database, number, 900, " ")
    assert silent.value.field == "reason"
    with pytest.raises(Conflict, match="correct that one"):
        correct(database, row, 900)
    with pytest.raises(NotFound):
        correct(database, 999, 900)
    with pytest.raises(NotFound):
        charge(database, NewExpense("storage", -100, "USD", ON, corrects=999))


def test_what_cannot_be_an_expense_stores_nothing(database: Database) -> None:
    opened(database)
    with pytest.raises(Malformed) as refused:
        charge(database, replace(STORAGE, kind="bribe", amount_minor=0))
    problems = refused.value.problem()["problems"]
    assert isinstance(problems, list)
    assert [problem["field"] for problem in problems] == ["kind", "amount"]
    assert expenses(database) == ()


def test_after_the_close_only_refunds_and_invoices_are_logged(database: Database) -> None:
    opened(database)
    number = charge(database).number
    closed(database)
    with pytest.raises(Closed):
        charge(database)
    with pytest.raises(Closed):
        correct(database, number, 1300)
    with pytest.raises(Closed):
        limit(database, 6000)
    charge(database, replace(STORAGE, reference="INV-7"))
    charge(database, replace(STORAGE, amount_minor=-100))
    correct(database, number, 1000)
    rows = expenses(database)
    assert [(row.amount_minor, row.after_close) for row in rows] == [
        (1200, False),
        (1200, True),
        (-100, True),
        (-200, True),
    ]
    (one,) = read_budget(database).currencies
    assert one.external == (("storage", 1200),)


def test_budgets_are_rows_and_the_newest_counts(database: Database) -> None:
    opened(database, replace(plan(), budget_minor=6000))
    assert limits(database) == [("USD", 6000)]
    first = limit(database, 4000)
    assert limit(database, 4000) == Charged(first.number, False)
    limit(database, 900, "EUR")
    assert limits(database) == [("USD", 4000), ("EUR", 900)]
    limit(database, None)
    assert limits(database) == [("EUR", 900)]
    with pytest.raises(Conflict, match="no budget in USD"):
        limit(database, None)
    with pytest.raises(Malformed) as refused:
        limit(database, 5000, reason=" ")
    assert refused.value.field == "reason"


def test_a_budget_speaks_before_an_order(database: Database) -> None:
    opened(database, replace(plan(), budget_minor=6000))
    database.write(ID, lambda tx: log_order(tx, ID, new_order(), actor=PERSON, now=NOW))
    with database.read() as session:
        assert warning(session, ID, Money(1286, "USD")) is None
        assert "0.01 USD more than" in str(warning(session, ID, Money(1287, "USD")))
        assert "is not known" in str(warning(session, ID, "USD"))
        assert warning(session, ID, Money(10**9, "EUR")) is None


def test_a_run_has_its_share_of_an_ordered_lot(database: Database) -> None:
    opened(database)
    database.write(ID, lambda tx: log_order(tx, ID, new_order(), actor=PERSON, now=NOW))
    run = ran("a-01", "completed", attempt(1, START, START + timedelta(hours=9), lot="lot-1"))
    with database.read() as session:
        (share,) = time_shares(session, run)
    assert (share.lot, str(share.percent)) == ("lot-1", "12.5")


def test_an_entry_of_before_says_less_and_is_read(database: Database) -> None:
    """Entries without who charged it, the tax's state and the close are read for ever."""
    opened(database)
    said = {
        "kind": "tax", "amount_minor": 896, "currency": "USD", "charged_on": "2026-12-01",
        "note": None, "reference": None, "corrects": None,
    }  # fmt: skip
    database.write(ID, lambda tx: append(tx, ID, "expense.charged", PERSON, said, NOW))
    database.write(None, rebuild)
    (row,) = expenses(database)
    assert (row.tax_state, row.provider, row.after_close) == (None, None, False)


def test_a_closed_research_decision_names_its_outcome(database: Database) -> None:
    opened(database, plan(research=True))
    database.write(ID, lambda tx: log_order(tx, ID, new_order(), actor=PERSON, now=NOW))
    assert str(read_budget(database).result) == (
        "Conclusion: still open · 47.14 USD committed · 0 of 0 deliverables accepted"
    )
    closed(database)
    assert str(read_budget(database).result).startswith("Conclusion: negative · 47.14 USD")


def test_an_unknown_campaign_has_no_budget(database: Database) -> None:
    with database.read() as session:
        assert budget_of(session, "none", accepted(0)) is None
    with pytest.raises(NotFound):
        charge(database)


def test_the_rows_can_be_made_again_byte_for_byte(database: Database) -> None:
    opened(database)
    number = charge(database, replace(STORAGE, reference="4711")).number
    correct(database, number, 0)
    limit(database, 4000)
    tables = frozenset({"expenses", "budget_limits"})
    with database.read() as session:
        kinds = [entry.kind for entry in entries(session, ID)][1:]
        assert kinds == ["expense.charged", "expense.charged", "budget.set"]
        before = contents(session.connection(), tables)
    database.write(None, rebuild)
    with database.read() as session:
        assert contents(session.connection(), tables) == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE expenses SET amount_minor = 1",
        "DELETE FROM expenses",
        "UPDATE budget_limits SET amount_minor = 1",
        "DELETE FROM budget_limits",
    ],
)
def test_the_database_itself_keeps_the_rows(database: Database, statement: str) -> None:
    opened(database)
    charge(database)
    limit(database, 4000)
    with pytest.raises(Exception, match="appended only"):
        database.write(ID, lambda tx: tx.execute(statement))
    assert expenses(database)[0].amount_minor == 1200
