"""Logging, correcting, reversing and refunding orders on both kinds of database."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from app.db import Database
from app.errors import AppError, Closed, Conflict, Malformed, NotFound
from app.journal import append, entries
from app.journal.audit import contents, rebuild
from app.orders.commands import (
    Logged,
    OrderDiffers,
    change_order,
    correct_order,
    log_order,
    refund_order,
    reverse_order,
)
from app.orders.queries import lots_of, order_numbered, orders_of, planned_lots
from app.orders.rules import (
    AFTER_CLOSE,
    CHANGE_KINDS,
    NewChange,
    NewLot,
    NewOrder,
    Order,
    OrderedLot,
    Source,
    as_new,
)
from app.plan.rules.model import PlannedLot
from tests.conftest import NOW, PERSON
from tests.orders.campaigns import END, ID, OFFER, START, closed, new_order, opened, plan

TABLES = frozenset({"orders", "order_lots"})


def log(database: Database, new: NewOrder | None = None) -> Logged:
    said = new or new_order()
    return database.write(ID, lambda tx: log_order(tx, ID, said, actor=PERSON, now=NOW))


def reverse(database: Database, number: int, reason: str = "typed twice") -> Logged:
    return database.write(
        ID, lambda tx: reverse_order(tx, ID, number, reason, actor=PERSON, now=NOW)
    )


def refund(database: Database, number: int, minor: int, reason: str = "late by a day") -> Logged:
    on = date(2026, 12, 1)
    return database.write(
        ID, lambda tx: refund_order(tx, ID, number, minor, on, reason, actor=PERSON, now=NOW)
    )


def correct(database: Database, number: int, new: NewOrder, reason: str = "a typo") -> Logged:
    return database.write(
        ID, lambda tx: correct_order(tx, ID, number, new, reason, actor=PERSON, now=NOW)
    )


def change(database: Database, number: int, new: NewChange, now: datetime = NOW) -> Logged:
    return database.write(ID, lambda tx: change_order(tx, ID, number, new, actor=PERSON, now=now))


def orders(database: Database) -> tuple[Order, ...]:
    with database.read() as session:
        return orders_of(session, ID)


def lots(database: Database) -> tuple[OrderedLot, ...]:
    with database.read() as session:
        return lots_of(session, ID)


def test_an_order_fills_the_planned_lot_and_keeps_the_offer(database: Database) -> None:
    opened(database)
    logged = log(database)
    assert logged.is_new
    (order,) = orders(database)
    assert (order.number, order.plan_version, order.before_seal) == (logged.number, 1, False)
    assert (order.net_minor, order.currency, order.logged_by) == (4714, "USD", "local")
    assert order.offer is not None
    assert (order.offer.id, order.offer.price_minor) == (OFFER, 4714)
    (lot,) = lots(database)
    assert (lot.id, lot.gpus, lot.gpu, lot.is_extra) == ("lot-1", 1, "RTX 4090", False)
    assert (lot.starts_at, lot.ends_at, lot.usable_until) == (START, END, END)


def test_the_identical_order_again_is_the_same_one(database: Database) -> None:
    opened(database)
    first = log(database)
    again = log(database)
    assert (again.number, again.is_new) == (first.number, False)
    assert len(orders(database)) == 1


def test_the_same_reference_with_other_facts_is_refused_with_the_difference(
    database: Database,
) -> None:
    opened(database)
    number = log(database).number
    later = END + timedelta(hours=1)
    with pytest.raises(OrderDiffers) as refused:
        log(database, new_order(price_minor=4741, ends_at=later))
    problem = refused.value.problem()
    assert (problem["status"], problem["type"]) == (409, "/problems/order-differs")
    assert (problem["field"], problem["order"]) == ("price", number)
    assert problem["difference"] == [
        {"field": "price", "recorded": "47.14", "sent": "47.41"},
        {"field": "ends_at", "recorded": "2026-12-03T07:00:00Z", "sent": "2026-12-03T08:00:00Z"},
        {
            "field": "usable_until",
            "recorded": "2026-12-03T07:00:00Z",
            "sent": "2026-12-03T08:00:00Z",
        },
    ]
    assert len(orders(database)) == 1


def test_two_lots_are_two_orders_and_the_third_is_extra(database: Database) -> None:
    opened(database, plan(PlannedLot("lot-1", offer=OFFER), PlannedLot("lot-2", offer=OFFER)))
    for reference in ("A", "B", "C"):
        log(database, new_order(reference))
    third = orders(database)[2]
    assert [lot.id for lot in lots(database)] == ["lot-1", "lot-2", f"extra-{third.number}"]
    assert third.lots[0].gpus is None


def test_a_price_that_is_not_known_is_kept_as_that(database: Database) -> None:
    opened(database)
    log(database, new_order(price_minor=None))
    (order,) = orders(database)
    assert order.price_minor is None
    assert order.net_minor is None


def test_an_order_before_the_seal_says_so_for_ever(database: Database) -> None:
    opened(database, sealed=False)
    log(database)
    opened(database)
    (order,) = orders(database)
    assert order.before_seal
    with database.read() as session:
        assert planned_lots(session, ID).version == 1


def test_what_cannot_be_an_order_stores_nothing(database: Database) -> None:
    opened(database)
    with pytest.raises(Malformed) as refused:
        log(database, new_order(" ", ends_at=START))
    problems = refused.value.problem()["problems"]
    assert isinstance(problems, list)
    assert [problem["field"] for problem in problems] == ["reference", "ends_at"]
    assert orders(database) == ()


def test_a_filled_lot_is_a_conflict_and_an_unknown_one_malformed(database: Database) -> None:
    opened(database)
    log(database)
    with pytest.raises(Conflict) as filled:
        log(database, new_order("B", lot="lot-1"))
    assert filled.value.field == "lot"
    with pytest.raises(Malformed) as unknown:
        log(database, new_order("B", lot="lot-9"))
    assert unknown.value.field == "lot"


def test_a_reversal_nets_to_zero_frees_the_lot_and_points_back(database: Database) -> None:
    opened(database)
    number = log(database).number
    change = reverse(database, number, " typed twice ")
    (order,) = orders(database)
    assert order.reversal is not None
    assert (order.reversal.number, order.reversal.amount_minor) == (change.number, -4714)
    assert (order.reversal.reason, order.net_minor, order.price_minor) == ("typed twice", 0, 4714)
    assert lots(database) == ()
    again = log(database)
    assert again.is_new
    assert [lot.id for lot in lots(database)] == ["lot-1"]


def test_a_reversal_again_with_the_same_reason_is_the_same(database: Database) -> None:
    opened(database)
    number = log(database).number
    first = reverse(database, number)
    assert reverse(database, number) == Logged(first.number, False)
    with pytest.raises(Conflict):
        reverse(database, number, "another reason")


def test_a_refund_is_its_own_dated_row(database: Database) -> None:
    """E17: 10.00 back on 47.14 leaves 37.14; the order and the sealed plan still say 47.14."""
    opened(database)
    number = log(database).number
    first = refund(database, number, 1000)
    assert refund(database, number, 1000) == Logged(first.number, False)
    (order,) = orders(database)
    assert (order.price_minor, order.net_minor) == (4714, 3714)
    (row,) = order.refunds
    assert (row.on, row.amount_minor, row.reason) == (date(2026, 12, 1), -1000, "late by a day")
    with database.read() as session:
        assert planned_lots(session, ID).lots[0].price_minor == 4714


@pytest.mark.parametrize(("minor", "kind"), [(4715, Conflict), (0, Malformed), (-1, Malformed)])
def test_a_refund_that_cannot_be_is_refused(
    database: Database, minor: int, kind: type[AppError]
) -> None:
    opened(database)
    number = log(database).number
    with pytest.raises(kind) as refused:
        refund(database, number, minor)
    assert refused.value.field == "amount"


def test_another_price_is_a_row_and_no_new_order(database: Database) -> None:
    opened(database)
    number = log(database).number
    assert correct(database, number, new_order(price_minor=4741)) == Logged(number, True)
    assert correct(database, number, new_order(price_minor=4741)) == Logged(number, False)
    (order,) = orders(database)
    assert (order.price_minor, order.net_minor) == (4714, 4741)
    assert [(row.kind, row.amount_minor, row.reason) for row in order.changes] == [
        ("correction", 27, "a typo")
    ]
    assert log(database) == Logged(number, False)
    assert log(database, new_order(price_minor=4741)) == Logged(number, False)


def test_a_price_that_was_not_known_is_a_row_too(database: Database) -> None:
    opened(database)
    number = log(database, new_order(price_minor=None)).number
    correct(database, number, new_order(price_minor=4741))
    (order,) = orders(database)
    assert [(row.kind, row.amount_minor) for row in order.changes] == [("price", 4741)]


def test_any_other_correction_is_a_reversal_and_a_new_order_in_one(database: Database) -> None:
    opened(database)
    number = log(database).number
    logged = correct(database, number, new_order(price_minor=4741, note="by phone"))
    old, new = orders(database)
    assert (old.net_minor, new.net_minor, new.replaces) == (0, 4741, number)
    assert old.reversal is not None
    assert old.reversal.reason == "a typo"
    assert new.number == logged.number
    assert [lot.id for lot in lots(database)] == ["lot-1"]


def test_a_correction_keeps_to_its_lot_and_may_take_another(database: Database) -> None:
    opened(database, plan(PlannedLot("lot-1", offer=OFFER), PlannedLot("lot-2", offer=OFFER)))
    number = log(database, new_order(lot="lot-1")).number
    moved = correct(database, number, new_order(lot="lot-2"))
    assert [lot.id for lot in lots(database)] == ["lot-2"]
    assert log(database, new_order("B", lot="lot-1")).is_new
    with pytest.raises(Conflict) as refused:
        correct(database, moved.number, new_order(lot="lot-1"))
    assert refused.value.field == "lot"


def test_corrections_that_make_no_sense_are_refused(database: Database) -> None:
    opened(database)
    number = log(database).number
    other = log(database, new_order("B", gpus=1)).number
    with pytest.raises(Conflict, match="Nothing differs"):
        correct(database, number, new_order())
    with pytest.raises(Conflict) as taken:
        correct(database, number, new_order("B"))
    assert taken.value.field == "reference"
    with pytest.raises(Malformed) as silent:
        correct(database, number, new_order(price_minor=1), reason=" ")
    assert silent.value.field == "reason"
    refund(database, other, 100)
    with pytest.raises(Conflict, match="a refund"):
        correct(database, other, new_order("B", note="late"))
    with pytest.raises(Conflict, match="refunded already"):
        correct(database, other, new_order("B", price_minor=1))
    reverse(database, number)
    with pytest.raises(Conflict, match="reversed before"):
        correct(database, number, new_order(price_minor=1))
    with pytest.raises(NotFound):
        correct(database, 999, new_order("Z"))


def test_after_the_close_nothing_but_what_comes_back_is_logged(database: Database) -> None:
    opened(database)
    number = log(database).number
    closed(database)
    with pytest.raises(Closed):
        log(database, new_order("B"))
    with pytest.raises(Closed):
        reverse(database, number)
    for kind in sorted({*CHANGE_KINDS} - {*AFTER_CLOSE}):
        new = NewChange(kind, "x", 1, date(2026, 12, 1), ends_at=END, usable_until=END)
        with pytest.raises(Closed):
            change(database, number, new)


def test_what_comes_back_after_the_close_leaves_the_closed_figures(database: Database) -> None:
    opened(database)
    number = log(database).number
    closed(database)
    on, later = date(2026, 12, 4), NOW + timedelta(days=3)
    for kind in AFTER_CLOSE:
        change(database, number, NewChange(kind, "late", 100, on), later)
    with database.read() as session:
        (at_close,) = orders_of(session, ID, until=NOW)
        (now,) = orders_of(session, ID)
    assert (at_close.net_minor, now.net_minor) == (4714, 4514)
    assert [row.after_close for row in now.changes] == [True, True]


def test_a_lot_is_extended_and_its_end_is_the_new_one(database: Database) -> None:
    opened(database)
    number = log(database).number
    week = START + timedelta(days=7)
    change(database, number, NewChange("extension", "longer", 7000, ends_at=week))
    change(database, number, NewChange("usable_until", "cleared early", usable_until=END))
    assert [(lot.ends_at, lot.usable_until) for lot in lots(database)] == [(week, END)]
    with database.read() as session:
        assert [lot.ends_at for lot in lots_of(session, ID, until=NOW - timedelta(days=1))] == []


def test_what_never_started_frees_its_lot_and_lends_none(database: Database) -> None:
    opened(database)
    number = log(database).number
    before = NewChange("payment_failed", "card refused", at=START - timedelta(hours=1))
    change(database, number, before)
    assert lots(database) == ()
    assert log(database, new_order("B")).is_new
    assert [lot.id for lot in lots(database)] == ["lot-1"]


def test_two_equal_payments_are_two_orders(database: Database) -> None:
    opened(database)
    log(database, new_order("A"))
    log(database, new_order("B"))
    log(database, new_order("b"))
    assert [order.net_minor for order in orders(database)] == [4714, 4714, 4714]


def test_all_that_a_provider_states_is_kept(database: Database) -> None:
    opened(database)
    more = NewLot(
        END, END + timedelta(days=1), extra=True, gpus=2, gpu="B200", memory_gib=180,
        start_basis="on_delivery", end_policy="kept_until",
        data_deleted_at=END + timedelta(days=9), auto_renew=True,
    )  # fmt: skip
    source = Source("paste", "0" * 64, "Total: 47,14")
    new = new_order(ordered_at=START, link="https://a.example/1", source=source)
    number = log(database, replace(new, lots=(*new.lots, more))).number
    (order,) = orders(database)
    assert (order.ordered_at, order.link, order.source) == (START, "https://a.example/1", source)
    assert [lot.id for lot in order.lots] == ["lot-1", f"extra-{number}-2"]
    assert replace(more, extra=True) == as_new(order).lots[1]


def test_an_unknown_campaign_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        log(database)


def test_each_act_is_one_entry_of_the_journal(database: Database) -> None:
    opened(database)
    number = log(database).number
    log(database)
    refund(database, number, 100)
    reverse(database, number)
    with database.read() as session:
        kinds = [entry.kind for entry in entries(session, ID)]
    assert kinds == ["plan.sealed", "order.logged", "order.changed", "order.changed"]


def test_entries_of_older_versions_are_read_for_ever(database: Database) -> None:
    """What an order and its refund said before links, quotes and other changes were known."""
    opened(database)
    lot = {
        "planned_lot": "lot-1", "gpus": 1, "gpu": None, "starts_at": "2026-11-30T07:00:00Z",
        "ends_at": "2026-12-03T07:00:00Z", "usable_until": "2026-12-03T07:00:00Z",
    }  # fmt: skip
    named = {"provider": "IteraGPU", "reference": "IG-1", "plan_version": 1, "currency": "USD"}
    first = named | {
        "account": None, "price_minor": 4714, "price_typed": None, "note": None, "replaces": None,
        "offer": None, "lots": [lot],
    }  # fmt: skip
    number = database.write(
        ID, lambda tx: append(tx, ID, "order.logged", PERSON, first, NOW)
    ).number
    back = named | {
        "order": number, "kind": "refund", "amount_minor": -1000, "on": "2026-12-01",
        "reason": "late",
    }  # fmt: skip
    database.write(ID, lambda tx: append(tx, ID, "order.reversed", PERSON, back, NOW))
    (order,) = orders(database)
    assert (order.net_minor, order.source, order.changes[0].after_close) == (3714, None, False)
    assert order.lots[0].data_deleted_at is None


def test_the_rows_can_be_made_again_byte_for_byte(database: Database) -> None:
    opened(database)
    number = log(database, new_order(note="by phone", account="lab")).number
    refund(database, number, 100)
    reverse(database, number)
    log(database, new_order("B", price_minor=None))
    with database.read() as session:
        before = contents(session.connection(), TABLES)
    database.write(None, rebuild)
    with database.read() as session:
        assert contents(session.connection(), TABLES) == before
        assert order_numbered(session, ID, number) is not None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE orders SET amount_minor = 1",
        "DELETE FROM order_lots",
        "UPDATE order_lots SET gpus = 9",
        "DELETE FROM orders WHERE kind = 'reversal'",
    ],
)
def test_the_database_itself_keeps_the_rows(database: Database, statement: str) -> None:
    opened(database)
    reverse(database, log(database).number)
    with pytest.raises(Exception, match="appended only"):
        database.write(ID, lambda tx: tx.execute(statement))
    (order,) = orders(database)
    assert order.price_minor == 4714
