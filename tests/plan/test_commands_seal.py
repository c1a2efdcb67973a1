"""Sealing: what is fixed, what is counted, what is refused, and what no one can change."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.campaigns.queries import header
from app.db import Database, WriteSession
from app.errors import Conflict, Malformed
from app.journal import append, entries
from app.journal.verify import rebuild_database, verify_database
from app.plan.commands import prepare, seal
from app.plan.queries import all_sealed, current, draft, first_sealed
from app.plan.queries import sealed as sealed_view
from app.plan.rules.model import PlannedLot, Step, StepClass, StepKind
from tests.conftest import NOW, PERSON
from tests.plan.drafts import longer, sample, saved, sealed, small


def test_version_1_fixes_document_schedule_prices_and_hash(database: Database) -> None:
    saved(database, sample())
    made = sealed(database, "invoice-adapter")
    with database.read() as session:
        view = first_sealed(session, "invoice-adapter")
        head = header(session, "invoice-adapter")
    assert view is not None
    assert head is not None
    assert (made.version, head.state, head.version) == (1, "sealed", 1)
    assert (view.sealed_at, view.sealed_by, view.sha256) == (NOW, "local", made.sha256)
    lot = view.plan.lots[0]
    assert (lot.offer, lot.gpus, lot.hours, lot.price_minor) == (
        "iteragpu/rtx-4090/3d",
        1,
        72,
        4714,
    )
    assert view.windows[0].gpu == "RTX 4090"
    assert (view.schedule.end_min, view.schedule.uncommitted_min) == (48 * 60, 24 * 60)
    assert view.knowledge is not None
    assert (view.knowledge.level, view.knowledge.started) == ("nothing_run", 0)


def test_the_hash_can_be_taken_again_from_the_journal(database: Database) -> None:
    saved(database, small())
    made = sealed(database, "small")
    with database.read() as session:
        (entry,) = entries(session, "small", kind="plan.sealed")
    content = {name: entry.payload[name] for name in ("document", "schedule")}
    written = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(written.encode()).hexdigest() == made.sha256


def test_a_seal_reads_the_same_again_after_its_schedule_was_kept(database: Database) -> None:
    saved(database, sample())
    with database.read() as session:
        before = draft(session, "invoice-adapter")
    sealed(database, "invoice-adapter")
    with database.read() as session:
        after = sealed_view(session, "invoice-adapter")
    assert before is not None
    assert after is not None
    assert after.schedule == before.schedule
    assert after.windows == before.windows


def test_a_later_version_needs_a_reason_and_leaves_the_first_alone(database: Database) -> None:
    saved(database, small())
    first = sealed(database, "small")
    saved(database, longer(small(), 20), revision=1)
    with pytest.raises(Malformed) as refused:
        sealed(database, "small", "  ")
    assert refused.value.field == "reason"
    second = sealed(database, "small", "The pilot took twice as long.")
    with database.read() as session:
        versions = all_sealed(session, "small")
        now = current(session, "small")
    assert [view.version for view in versions] == [1, 2]
    assert [view.sha256 for view in versions] == [first.sha256, second.sha256]
    assert [view.reason for view in versions] == [None, "The pilot took twice as long."]
    assert versions[0].plan.steps[1].p50_s == 36_000
    assert now == versions[1]


def test_an_unchanged_plan_is_not_sealed_again(database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    with pytest.raises(Conflict):
        sealed(database, "small", "Once more.")


def test_a_draft_that_moved_meanwhile_is_not_sealed(database: Database) -> None:
    saved(database, small())
    with database.read() as session:
        view = draft(session, "small")
    assert view is not None
    prepared = prepare(view, NOW)
    saved(database, longer(small(), 20), revision=1)
    with pytest.raises(Conflict) as refused:
        database.write("small", lambda tx: seal(tx, prepared, reason=None, actor=PERSON, now=NOW))
    assert refused.value.extra["revision"] == 2


@pytest.mark.parametrize(
    ("started", "ended", "level"),
    [(0, 0, "nothing_run"), (1, 0, "runs_started"), (2, 1, "results_seen")],
)
def test_what_was_known_is_counted_from_the_journal(
    database: Database, started: int, ended: int, level: str
) -> None:
    saved(database, small())
    for kind, count in (("run.started", started), ("run.ended", ended)):
        for number in range(count):
            _plant(database, kind, number)
    sealed(database, "small")
    with database.read() as session:
        view = sealed_view(session, "small")
    assert view is not None
    assert view.knowledge is not None
    assert (view.knowledge.level, view.knowledge.started, view.knowledge.ended) == (
        level,
        started,
        ended,
    )


def _plant(database: Database, kind: str, number: int) -> None:
    """A journal row of a kind as it would count, without what its room derives from it."""

    def command(tx: WriteSession) -> None:
        row = append(tx, "small", "planted", PERSON, {"n": number}, NOW)
        tx.execute(
            "INSERT INTO journal (campaign_id, number, at, actor_kind, actor_name, kind, payload,"
            " previous_sha256, sha256) VALUES ('small', :number, :at, 'job', 'box', :kind, '{}',"
            " :hash, :hash)",
            {"number": row.number + 1, "at": NOW, "kind": kind, "hash": "0" * 64},
        )

    database.write("small", command)


def test_a_step_without_an_estimate_keeps_a_draft_but_no_seal(database: Database) -> None:
    probe = Step("probe", "Probe", StepKind.HUMAN, StepClass.ESSENTIAL)
    plan = replace(small(), steps=(*small().steps, probe))
    saved(database, plan)
    with pytest.raises(Malformed) as refused:
        sealed(database, "small")
    assert refused.value.field == "steps[3].p50"


def test_a_plan_that_exceeds_its_lot_is_sealed_with_a_warning(database: Database) -> None:
    saved(database, longer(small(), 72))
    sealed(database, "small")
    with database.read() as session:
        view = sealed_view(session, "small")
    assert view is not None
    assert view.schedule.exceeds_min == 6 * 60
    assert "Exceeds the lot by 6 h" in [str(one) for one in view.warnings]


def test_a_window_in_the_past_is_a_warning(database: Database) -> None:
    past = datetime(2026, 11, 1, 8, tzinfo=UTC)
    lot = PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d", starts_at=past)
    saved(database, replace(small(), lots=(lot,)))
    sealed(database, "small")
    with database.read() as session:
        view = sealed_view(session, "small")
    assert view is not None
    said = next(one for one in view.warnings if one.msgid == "The window of {lot} ended {at}.")
    assert said.values == {"lot": "lot-1", "at": datetime(2026, 11, 4, 8, tzinfo=UTC)}


def test_a_price_in_another_currency_is_named_not_planned(database: Database) -> None:
    saved(database, replace(small(), currency="EUR"))
    sealed(database, "small")
    with database.read() as session:
        view = sealed_view(session, "small")
    assert view is not None
    assert view.plan.lots[0].price_minor is None
    assert view.windows[0].currency == "USD"
    assert any("priced in USD" in str(one) for one in view.warnings)


def test_the_database_itself_keeps_a_sealed_version(database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    for statement in (
        "UPDATE plan_versions SET reason = 'foresight'",
        "DELETE FROM plan_versions",
    ):
        with pytest.raises(DBAPIError), database.write_engine.begin() as connection:
            connection.execute(text(statement))


def test_the_projection_agrees_with_the_journal(database: Database) -> None:
    saved(database, sample())
    sealed(database, "invoice-adapter")
    saved(database, longer(sample(), 2), replace=True)
    sealed(database, "invoice-adapter", "Checking took longer.")
    report = verify_database(database.write_engine, {})
    assert list(report.findings) == []
    assert report.entries == 2


def test_warnings_are_kept_as_sentences_of_any_language(database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    with database.read() as session:
        (entry,) = entries(session, "small", kind="plan.sealed")
        view = sealed_view(session, "small")
    assert view is not None
    assert len(view.warnings) == len(json.loads(json.dumps(entry.payload["warnings"])))
    assert "No pilot is planned." in [str(one) for one in view.warnings]


def test_versions_are_made_again_from_the_journal(database: Database) -> None:
    saved(database, sample())
    sealed(database, "invoice-adapter")
    saved(database, longer(sample(), 2), replace=True)
    sealed(database, "invoice-adapter", "Checking took longer.")
    select = text("SELECT * FROM plan_versions ORDER BY version")
    with database.read() as session:
        before = [tuple(row) for row in session.connection().execute(select)]
    rebuild_database(database.write_engine)
    with database.read() as session:
        after = [tuple(row) for row in session.connection().execute(select)]
    assert len(before) == 2
    assert after == before
