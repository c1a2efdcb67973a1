"""Drafts: the same again, another content, two editors, and what can be deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text

from app.accounts.commands import make_token
from app.campaigns.queries import header
from app.db import Database, WriteSession
from app.errors import Closed, Conflict, Malformed, NotFound
from app.journal import append
from app.plan.commands import delete_draft, discard_changes
from app.plan.queries import draft, sealed_or_draft
from app.plan.rules.document import to_document
from app.plan.rules.model import Plan
from tests.conftest import NOW, PERSON
from tests.plan.drafts import longer, sample, saved, sealed, small


def test_a_first_draft_makes_the_campaign(database: Database) -> None:
    made = saved(database, small())
    assert (made.revision, made.created, made.changed) == (1, True, True)
    with database.read() as session:
        head, view = header(session, "small"), draft(session, "small")
    assert head is not None
    assert (head.state, head.question, head.zone) == ("draft", "Is it worth it?", "Europe/Berlin")
    assert view is not None
    assert view.plan == small()
    assert (view.version, view.revision, view.updated_at) == (0, 1, NOW)
    assert view.schedule.end_min == 16 * 60
    assert view.schedule.uncommitted_min == 56 * 60


def test_the_same_content_again_changes_nothing(database: Database) -> None:
    saved(database, sample())
    again = saved(database, sample())
    assert (again.revision, again.created, again.changed) == (1, False, False)


def test_other_content_is_refused_with_the_places_that_differ(database: Database) -> None:
    saved(database, small())
    with pytest.raises(Conflict) as refused:
        saved(database, replace(longer(small(), 12), question="Is it?"))
    assert refused.value.extra["difference"] == [
        {"path": "campaign.question", "stored": "Is it worth it?", "sent": "Is it?"},
        {"path": "steps[train].p50", "stored": "10h", "sent": "12h"},
    ]
    with database.read() as session:
        assert sealed_or_draft(session, "small") == small()


def test_replacing_and_editing_change_the_draft(database: Database) -> None:
    saved(database, small())
    assert saved(database, longer(small(), 12), replace=True).revision == 2
    assert saved(database, longer(small(), 14), revision=2).revision == 3
    with database.read() as session:
        assert sealed_or_draft(session, "small") == longer(small(), 14)


def test_two_editors_do_not_overwrite_each_other(database: Database) -> None:
    saved(database, small())
    saved(database, longer(small(), 12), revision=1)
    with pytest.raises(Conflict) as refused:
        saved(database, longer(small(), 14), revision=1)
    assert refused.value.extra["revision"] == 2
    with database.read() as session:
        assert sealed_or_draft(session, "small") == longer(small(), 12)


def test_the_header_follows_the_draft_until_the_seal(database: Database) -> None:
    saved(database, small())
    saved(database, small(question="Worth it?"), revision=1)
    with database.read() as session:
        assert _question(header(session, "small")) == "Worth it?"
    sealed(database, "small")
    saved(database, small(question="Still?"), revision=2)
    with database.read() as session:
        assert _question(header(session, "small")) == "Worth it?"


def _question(head: object) -> str:
    return str(getattr(head, "question", None))


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (small("new"), "campaign.id"),
        (replace(small(), decision_rule=replace(small().decision_rule, threshold=None)),
         "decision_rule.threshold"),
        (replace(small(), steps=(replace(small().steps[0], after=("retrieve",)),
                                 *small().steps[1:])), "steps[0].after[0]"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_not_kept(database: Database, plan: Plan, field: str) -> None:
    with pytest.raises(Malformed) as refused:
        saved(database, plan)
    assert refused.value.field == field
    with database.read() as session:
        assert draft(session, plan.id) is None


def test_an_edit_of_a_campaign_that_is_not_there(database: Database) -> None:
    with pytest.raises(NotFound):
        saved(database, small(), revision=1)


def test_a_closed_campaign_takes_no_draft(database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    database.write("small", _close)
    with pytest.raises(Closed):
        saved(database, longer(small(), 12), replace=True)


def _close(tx: WriteSession) -> None:
    """Closed by its standing alone; how a close is written belongs to its own room."""
    tx.execute("UPDATE campaign_standings SET state = 'closed' WHERE campaign_id = 'small'")


def test_changes_after_a_seal_can_be_discarded(database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    saved(database, longer(small(), 20), revision=1)
    database.write("small", lambda tx: discard_changes(tx, "small", actor=PERSON, now=NOW))
    with database.read() as session:
        view = draft(session, "small")
    assert view is not None
    assert view.revision == 3
    assert view.plan.steps == small().steps
    assert view.plan.lots[0].price_minor == 4714


def test_nothing_to_go_back_to_before_the_first_seal(database: Database) -> None:
    saved(database, small())
    with pytest.raises(Conflict):
        database.write("small", lambda tx: discard_changes(tx, "small", actor=PERSON, now=NOW))


def test_a_draft_without_a_record_can_be_deleted_with_its_tokens(database: Database) -> None:
    saved(database, small())
    database.write(
        "small",
        lambda tx: make_token(
            tx, "small", "pk_secret", name="box", expires_at=NOW, actor=PERSON, now=NOW
        ),
    )
    database.write("small", lambda tx: delete_draft(tx, "small"))
    with database.read() as session:
        assert header(session, "small") is None
        assert session.connection().execute(text("SELECT count(*) FROM job_tokens")).scalar() == 0
    assert saved(database, small()).created


def test_a_campaign_with_a_record_is_not_deleted(database: Database) -> None:
    saved(database, small())
    database.write("small", lambda tx: append(tx, "small", "note.kept", PERSON, {}, NOW))
    with pytest.raises(Conflict):
        database.write("small", lambda tx: delete_draft(tx, "small"))


def test_a_sealed_campaign_is_not_deleted(database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    with pytest.raises(Conflict):
        database.write("small", lambda tx: delete_draft(tx, "small"))


def test_the_stored_document_is_the_files_mapping(database: Database) -> None:
    saved(database, sample())
    with database.read() as session:
        view = draft(session, "invoice-adapter")
    assert view is not None
    assert to_document(view.plan) == to_document(sample())
