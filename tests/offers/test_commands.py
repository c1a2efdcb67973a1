"""Versions of offers in the database: appended, guarded, seen by every process, never reaching
what is sealed or ordered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from app.db import Database, WriteSession, open_database
from app.errors import Conflict, Malformed, NotFound
from app.offers.commands import import_offers
from app.offers.queries import catalogue, naming
from app.offers.rules import Act, Offer, read_catalogue
from app.orders.commands import log_order
from app.orders.queries import orders_of, planned_lots
from app.plan.queries import draft, sealed
from app.settings import Settings
from tests.conftest import NOW, PERSON
from tests.offers.kept import LATER, LOT, OWN, offered, save, take, versions, withdraw, write
from tests.orders import campaigns
from tests.postgres import new_database

DEARER = replace(LOT, price_minor=4900)


def test_the_packaged_offers_stand_first_and_are_not_copied(database: Database) -> None:
    assert tuple(offered(database).values()) == read_catalogue()
    save(database, OWN)
    assert tuple(offered(database).values()) == (*read_catalogue(), OWN)
    with database.read() as session:
        assert session.connection().execute(text("SELECT count(*) FROM offers")).scalar_one() == 1


def test_an_edit_is_a_new_version_and_the_old_one_stays(database: Database) -> None:
    assert (save(database, DEARER, 1).version, save(database, LOT, 2).version) == (2, 3)
    assert list(offered(database)) == [offer.id for offer in read_catalogue()]
    told = versions(database, LOT.id)
    assert [(one.number, one.origin, one.offer.price_minor) for one in told] == [
        (1, "packaged", 4714),
        (2, "typed", 4900),
        (3, "typed", 4714),
    ]
    assert [(one.written_at, one.written_by) for one in told] == [
        (None, None),
        (LATER, "local"),
        (LATER, "local"),
    ]


def test_the_same_again_changes_nothing(database: Database) -> None:
    assert not save(database, LOT, 1).changed
    assert save(database, OWN).changed
    assert not save(database, OWN).changed
    assert len(versions(database, OWN.id)) == 1


def test_a_change_from_an_old_version_is_refused(database: Database) -> None:
    save(database, DEARER, 1)
    with pytest.raises(Conflict) as refused:
        save(database, replace(LOT, price_minor=5000), 1)
    assert refused.value.extra["version"] == 2
    assert not save(database, DEARER, 1).changed  # the same is wanted: nothing to refuse
    assert len(versions(database, LOT.id)) == 2


def test_an_id_that_is_there_is_not_added_again(database: Database) -> None:
    for known in (LOT, replace(OWN, price_minor=1)):
        save(database, OWN)
        with pytest.raises(Conflict) as refused:
            save(database, replace(known, gpus=8))
        assert refused.value.field == "id"


def test_what_is_wrong_or_unknown_is_refused(database: Database) -> None:
    with pytest.raises(Malformed) as refused:
        save(database, replace(OWN, source="", gpus=0))
    assert refused.value.field == "source"
    with pytest.raises(NotFound):
        save(database, OWN, 1)
    with pytest.raises(NotFound):
        withdraw(database, OWN.id, 1)


def test_a_withdrawn_offer_is_still_read_and_can_be_offered_again(database: Database) -> None:
    campaigns.opened(database, sealed=False)
    withdraw(database, LOT.id, 1)
    assert offered(database)[LOT.id] == replace(LOT, withdrawn=True)
    with database.read() as session:
        view = draft(session, campaigns.ID)
    assert view is not None
    assert (view.windows[0].price_minor, view.lot_problems) == (4714, ())
    assert not withdraw(database, LOT.id, 2).changed
    assert save(database, LOT, 2).version == 3
    assert not offered(database)[LOT.id].withdrawn


def test_a_draft_reads_the_newest_version(database: Database) -> None:
    campaigns.opened(database, sealed=False)
    save(database, replace(DEARER, hours=96), 1)
    with database.read() as session:
        view = draft(session, campaigns.ID)
        lots = planned_lots(session, campaigns.ID).lots
    assert view is not None
    assert (view.windows[0].end_min, view.windows[0].price_minor) == (96 * 60, 4900)
    assert (lots[0].hours, lots[0].price_minor) == (96, 4900)


def test_a_new_version_reaches_neither_sealed_plan_nor_order(database: Database) -> None:
    campaigns.opened(database)
    new = campaigns.new_order()
    database.write(campaigns.ID, lambda tx: log_order(tx, campaigns.ID, new, actor=PERSON, now=NOW))

    def kept() -> tuple[object, ...]:
        with database.read() as session:
            return (
                sealed(session, campaigns.ID),
                orders_of(session, campaigns.ID),
                planned_lots(session, campaigns.ID),
            )

    before = kept()
    save(database, replace(DEARER, gpus=4, hours=1, gpu="B200", provider="Other"), 1)
    assert kept() == before
    withdraw(database, LOT.id, 2)
    assert kept() == before


def test_an_order_keeps_the_offer_of_its_day(database: Database) -> None:
    campaigns.opened(database, sealed=False)
    save(database, DEARER, 1)
    new = campaigns.new_order()
    database.write(campaigns.ID, lambda tx: log_order(tx, campaigns.ID, new, actor=PERSON, now=NOW))
    save(database, LOT, 2)
    with database.read() as session:
        (order,) = orders_of(session, campaigns.ID)
    assert order.offer is not None
    assert order.offer.price_minor == 4900


def test_who_plans_with_an_offer_is_known(database: Database) -> None:
    campaigns.opened(database, campaigns.plan(id_="a-draft"), sealed=False)
    campaigns.opened(database, campaigns.plan(id_="b-sealed"))
    campaigns.opened(database, campaigns.plan(id_="c-closed"))
    campaigns.closed(database, "c-closed")
    named = replace(campaigns.plan(id_="d-words"), lots=(), question=f'Is "offer":"{LOT.id}" good?')
    campaigns.opened(database, named, sealed=False)
    with database.read() as session:
        found = naming(session, LOT.id)
        assert naming(session, "iteragpu/rtx-4090") == ()
        assert naming(session, "iteragpu/rtx-4090/%") == ()
    assert [(one.campaign_id, one.state) for one in found] == [
        ("a-draft", "draft"),
        ("b-sealed", "sealed"),
    ]


def test_a_file_is_taken_whole_and_again_changes_nothing(database: Database) -> None:
    gone = replace(read_catalogue()[1], withdrawn=True)
    rows = (DEARER, gone, OWN, read_catalogue()[2])
    assert [one.act for one in take(database, *rows)] == [
        Act.CHANGE,
        Act.WITHDRAW,
        Act.ADD,
        Act.KEEP,
    ]
    assert {one.act for one in take(database, *rows)} == {Act.KEEP}
    assert [len(versions(database, one.id)) for one in rows] == [2, 2, 1, 1]
    assert versions(database, OWN.id)[0].origin == "file"


def test_a_file_that_fails_in_the_middle_leaves_nothing(database: Database) -> None:
    with pytest.raises(DBAPIError):
        take(database, OWN, replace(LOT, gpus=0))
    assert tuple(offered(database).values()) == read_catalogue()


ATTACKS: dict[str, Callable[[WriteSession], object]] = {
    "update": lambda tx: tx.execute("UPDATE offers SET price_minor = 1"),
    "delete": lambda tx: tx.execute("DELETE FROM offers"),
    "the same number": lambda tx: tx.execute(
        "INSERT INTO offers (number, offer_id, version, withdrawn, provider, gpu, gpus, source,"
        " origin, written_at, written_by) SELECT number, offer_id, version, withdrawn, provider,"
        " gpu, 9, source, origin, written_at, written_by FROM offers"
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_database_guards_the_versions(database: Database, attack: str) -> None:
    save(database, OWN)
    with pytest.raises(Exception, match=r"appended only|duplicate key"):
        write(database, ATTACKS[attack])
    assert versions(database, OWN.id)[0].offer == OWN


def test_sqlite_and_postgres_refuse_half_a_price(database: Database) -> None:
    with pytest.raises(DBAPIError):
        take(database, replace(OWN, currency=None))


@pytest.mark.postgres
def test_another_process_sees_a_new_version_at_once(
    settings: Settings, migrated_postgres: str
) -> None:
    """Two databases of one address stand for two processes: each has its own engines and memory."""
    address = new_database(template="template_punktum")
    named = settings.model_copy(update={"database_url": SecretStr(address)})
    mine, theirs = open_database(named), open_database(named)
    try:
        campaigns.opened(mine, sealed=False)
        assert offered(theirs)[LOT.id] == LOT
        save(mine, DEARER, 1)
        assert offered(theirs)[LOT.id] == DEARER
        with theirs.read() as session:
            view = draft(session, campaigns.ID)
        assert view is not None
        assert view.windows[0].price_minor == 4900
        save(theirs, replace(LOT, price_minor=5000), 2)
        assert offered(mine)[LOT.id].price_minor == 5000
    finally:
        mine.close()
        theirs.close()


def _counted(database: Database, read: Callable[[], object]) -> list[str]:
    made: list[str] = []

    def count(*args: Any) -> None:
        if not str(args[2]).startswith(("BEGIN", "SET ")):
            made.append(str(args[2]))

    event.listen(database.read_engine, "before_cursor_execute", count)
    read()
    event.remove(database.read_engine, "before_cursor_execute", count)
    return made


def test_a_draft_takes_no_statement_more_and_one_after_a_change(database: Database) -> None:
    campaigns.opened(database, sealed=False)

    def read() -> None:
        with database.read() as session:
            assert draft(session, campaigns.ID) is not None
            assert catalogue(session)

    read()
    assert len(_counted(database, read)) == 1
    save(database, DEARER, 1)
    assert len(_counted(database, read)) == 2
    assert len(_counted(database, read)) == 1


def test_what_a_failed_command_read_is_not_kept(database: Database) -> None:
    """Its versions are rolled back and their numbers given to others."""

    def half(tx: WriteSession) -> None:
        import_offers(tx, [(1, OWN)], actor=PERSON, now=NOW)
        assert OWN in catalogue(tx.orm)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write(database, half)
    save(database, replace(OWN, id="other/lot"))
    assert list(offered(database))[4:] == ["other/lot"]
    inside: tuple[Offer, ...] = write(database, lambda tx: catalogue(tx.orm))
    assert [offer.id for offer in inside][4:] == ["other/lot"]


def test_a_file_is_not_taken_into_another_catalogue_than_was_shown(database: Database) -> None:
    def taken(basis: int) -> object:
        return write(
            database,
            lambda tx: import_offers(tx, [(1, OWN)], basis=basis, actor=PERSON, now=NOW),
        )

    save(database, DEARER, 1)
    with pytest.raises(Conflict):
        taken(0)
    assert OWN.id not in offered(database)
    taken(2)
    assert offered(database)[OWN.id] == OWN
