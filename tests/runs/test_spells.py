"""When an attempt was silent or stood still, from what the watcher noticed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.db import Database
from app.runs import queries
from app.runs.commands.watching import watch
from app.runs.rules.spells import Noticed, Spell, spells
from tests.conftest import NOW
from tests.runs.campaigns import FIRST, ID, event, opened, recorded

T = datetime(2026, 12, 1, 2, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def at(minutes: int) -> datetime:
    return T + minutes * MINUTE


def test_each_spell_ends_with_the_next_change() -> None:
    noticed = [
        Noticed("silent", at(0)), Noticed("alive", at(90)), Noticed("stalled", at(100)),
        Noticed("silent", at(120)), Noticed("alive", at(130)), Noticed("silent", at(200)),
    ]  # fmt: skip
    assert spells(noticed) == (
        Spell("silent", at(0), at(90)),
        Spell("stalled", at(100), at(120)),
        Spell("silent", at(120), at(130)),
        Spell("silent", at(200), None),
    )
    assert spells([Noticed("alive", at(0))]) == ()
    assert spells([]) == ()


def test_in_words() -> None:
    assert str(Spell("silent", at(0), at(90)).said) == (
        "was silent from Tue 01 Dec 2026, 02:10 UTC until Tue 01 Dec 2026, 03:40 UTC"
    )
    assert str(Spell("stalled", at(0), at(1)).said).startswith("stood still from Tue 01 Dec")


def test_a_run_that_came_back_was_silent_in_between(database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start", expect_next_s=60))

    def look(minutes: int) -> None:
        now = NOW + minutes * MINUTE
        database.write(ID, lambda tx: watch(tx, ID, [("a-01", FIRST)], now))

    look(30)
    with database.read() as session:
        assert queries.spells_of(session, ID, "a-01") == {1: (Spell("silent", NOW, None),)}
    recorded(database, event(2), now=NOW + 90 * MINUTE)
    look(91)
    with database.read() as session:
        found = queries.spells_of(session, ID, "a-01")
        assert queries.spells_of(session, ID, "none") == {}
    assert found == {1: (Spell("silent", NOW, NOW + 90 * MINUTE),)}
