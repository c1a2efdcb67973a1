"""Submitting, judging, retrieving and placing on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from app.db import Database, WriteSession
from app.deliverables import queries
from app.deliverables.commands import judge, place
from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.standing import Place, Verdict
from app.errors import AppError, Closed, Conflict, Malformed, NotFound
from app.journal import entries
from app.journal.audit import contents, rebuild
from app.plan.rules.model import PlannedStopRule
from tests.conftest import NOW, PERSON
from tests.decisions.runs import post
from tests.deliverables.campaigns import closed, opened, resealed, sent, standing
from tests.deliverables.plans import (
    BOX,
    FILES,
    HOME,
    ID,
    MAKER,
    PREDICTIONS,
    adapter,
    all_passed,
    file,
    plan,
    submission,
)
from tests.plan.drafts import saved

TABLES = frozenset({"submissions", "verdicts", "retrievals", "places"})


def judged(database: Database, said: str, reason: str = "", **more: Any) -> Verdict:
    name = more.pop("deliverable", "predictions")

    def command(tx: WriteSession) -> Verdict | AppError:
        return judge(tx, ID, name, said, reason, actor=PERSON, now=NOW, **more)

    found = database.write(ID, command)
    assert isinstance(found, Verdict)
    return found


def placed(database: Database, where: str, seen_on: date = date(2026, 12, 1)) -> Place:
    def command(tx: WriteSession) -> Place | AppError:
        return place(tx, ID, "predictions", where, seen_on, actor=PERSON, now=NOW)

    found = database.write(ID, command)
    assert isinstance(found, Place)
    return found


def kinds(database: Database) -> list[str]:
    with database.read() as session:
        return [entry.kind for entry in entries(session, ID)]


def test_what_passed_every_check_is_accepted_by_the_rule(database: Database) -> None:
    opened(database)
    answer = sent(database, submission())
    assert (answer.state, answer.reason, answer.duplicate) == ("accepted", None, False)
    found = standing(database)
    assert found.judged is not None
    assert (found.judged.actor_kind, found.judged.actor_name) == ("rule", "announced-checks")
    assert (found.passed, found.failed, found.not_run) == (4, 0, 0)
    assert kinds(database)[-2:] == ["deliverable.submitted", "deliverable.judged"]
    assert answer.head.number == len(kinds(database))


def test_what_names_no_run_is_left_to_a_person(database: Database) -> None:
    """Else the output of an interrupted run would be accepted by leaving its name out."""
    opened(database)
    answer = sent(database, submission(runs=()))
    assert (answer.state, str(answer.reason)) == (
        "submitted",
        "All 4 checks passed; a person has not accepted it yet.",
    )
    assert kinds(database)[-1] == "deliverable.submitted"
    assert judged(database, "accepted").verdict == standing(database).state == "accepted"


def test_a_submission_keeps_all_that_was_said(database: Database) -> None:
    opened(database)
    sent(database, adapter())
    number = standing(database, "adapter").newest
    assert number is not None
    with database.read() as session:
        found = queries.submitted(session, ID, number.number)
    assert found is not None
    assert found.files == submission().files
    assert found.line.base_revision == "0123456789abcdef0123456789abcdef01234567"
    assert (found.line.host, found.line.machine_id, found.line.tool) == (
        "box-1", BOX, "punktum/0.1.0",
    )  # fmt: skip
    assert found.line.made_at == submission().made_at
    assert [str(result.status) for result in found.results] == ["passed", "passed"]


def test_a_failed_check_leaves_it_submitted_with_its_reason(database: Database) -> None:
    opened(database)
    failing = (*all_passed()[:3], Posted("reload", False, detail="exit 1"))
    answer = sent(database, submission(checks=failing))
    assert answer.state == "submitted"
    assert str(answer.reason) == "1 of 4 checks failed."
    with database.read() as session:
        (rejection,) = queries.acceptance(session, ID).rejections
    assert (rejection.deliverable, str(rejection.reason)) == (
        "predictions", "1 of 4 checks failed.",
    )  # fmt: skip


def test_the_newest_submission_decides(database: Database) -> None:
    opened(database)
    sent(database, submission())
    assert sent(database, submission(submission_id="2" * 32, checks=())).state == "submitted"
    assert sent(database, submission(submission_id="3" * 32)).state == "accepted"
    assert standing(database).submissions == 3
    with database.read() as session:
        assert queries.acceptance(session, ID).accepted == 1


def test_the_same_submission_again_is_a_duplicate(database: Database) -> None:
    opened(database)
    first = sent(database, submission())
    again = sent(database, submission(files=FILES[::-1]))
    assert (again.state, again.duplicate, again.head) == ("accepted", True, first.head)
    assert standing(database).submissions == 1
    with pytest.raises(Conflict) as refused:
        sent(database, submission(host="another"))
    assert refused.value.field == "submission_id"


def test_a_duplicate_is_still_answered_after_the_close(database: Database) -> None:
    opened(database)
    sent(database, submission())
    closed(database)
    assert sent(database, submission()).duplicate
    with pytest.raises(Closed):
        sent(database, submission(submission_id="2" * 32))


def test_before_the_seal_nothing_is_announced(database: Database) -> None:
    saved(database, plan())
    with pytest.raises(Conflict):
        sent(database, submission())


def test_what_nobody_announced_is_not_found(database: Database) -> None:
    opened(database)
    with pytest.raises(NotFound) as refused:
        sent(database, submission(deliverable="poster"))
    assert refused.value.allowed == ("predictions", "adapter", "analysis")


def test_a_run_that_nobody_knows_is_refused(database: Database) -> None:
    opened(database)
    with pytest.raises(Conflict) as refused:
        sent(database, submission(runs=("a-01",)))
    assert refused.value.extra["runs"] == {
        "a-01": "a-01 is not known in this campaign: replay its spool, then submit again"
    }
    assert standing(database).submissions == 0


def test_a_person_rejects_what_the_rule_accepted(database: Database) -> None:
    opened(database)
    sent(database, submission())
    said = judged(database, "rejected", " labels are\r\nshuffled ")
    assert said.reason == "labels are\nshuffled"
    found = standing(database)
    assert (str(found.state), str(found.reason)) == ("rejected", "labels are\nshuffled")
    assert judged(database, "rejected", "labels are\nshuffled").number == said.number
    assert judged(database, "accepted", "looked again").number > said.number
    assert str(standing(database).state) == "accepted"


def test_without_checks_a_person_decides(database: Database) -> None:
    opened(database)
    analysis = submission(deliverable="analysis", checks=())
    assert sent(database, analysis).state == "submitted"
    assert judged(database, "accepted", deliverable="analysis").verdict == "accepted"
    assert str(standing(database, "analysis").state) == "accepted"


@pytest.mark.parametrize(
    ("said", "reason", "more", "refusal"),
    [
        ("rejected", "", {}, Malformed),
        ("maybe", "", {}, Malformed),
        ("rejected", "x", {"submission": 999}, Conflict),
        ("accepted", "", {}, Conflict),  # a check failed
        ("rejected", "x", {"deliverable": "poster"}, NotFound),
        ("rejected", "x", {"deliverable": "analysis"}, Conflict),  # nothing came
    ],
)
def test_verdicts_that_are_refused(
    database: Database, said: str, reason: str, more: dict[str, Any], refusal: type[AppError]
) -> None:
    opened(database)
    sent(database, submission(checks=all_passed()[:3]))
    before = kinds(database)
    with pytest.raises(refusal):
        judged(database, said, reason, **more)
    assert kinds(database) == before


def test_after_the_close_nothing_is_judged(database: Database) -> None:
    opened(database)
    sent(database, submission())
    closed(database)
    with pytest.raises(Closed):
        judged(database, "rejected", "too late")


def test_checks_that_change_later_ask_for_another_submission(database: Database) -> None:
    opened(database)
    sent(database, submission())
    fewer = replace(PREDICTIONS, checks=PREDICTIONS.checks[:3])
    resealed(database, plan(deliverables=(fewer,)))
    found = standing(database)
    assert (str(found.state), found.passed, found.not_run) == ("submitted", 0, 3)
    with pytest.raises(Conflict):
        judged(database, "accepted")
    assert sent(database, submission(submission_id="2" * 32)).state == "accepted"


def test_what_is_announced_no_more_stays_on_record_and_counts_nowhere(database: Database) -> None:
    opened(database)
    sent(database, adapter())
    resealed(database, plan(deliverables=(PREDICTIONS,)))
    with database.read() as session:
        found = queries.standing_of(session, ID)
        counts = queries.acceptance(session, ID)
    assert [(one.id, one.announced, str(one.state)) for one in found] == [
        ("predictions", True, "announced"),
        ("adapter", False, "accepted"),
    ]
    assert (counts.announced, counts.accepted) == (1, 0)


def proof(**more: Any) -> Any:
    base = {"submission_id": "9" * 32, "machine_id": HOME, "host": "home", "retrieved": True}
    return submission(**{**base, **more})


def test_the_same_files_on_another_machine_are_retrieved(database: Database) -> None:
    opened(database)
    sent(database, submission())
    answer = sent(database, proof())
    assert (answer.state, answer.retrieved, answer.duplicate) == ("accepted", True, False)
    assert sent(database, proof()).duplicate
    found = standing(database)
    assert found.retrieved is not None
    assert (found.retrieved.host, found.submissions) == ("home", 1)


def test_retrieval_is_proven_after_the_close_too(database: Database) -> None:
    opened(database)
    sent(database, submission())
    closed(database)
    assert sent(database, proof()).retrieved
    assert placed(database, "nas:/results").where == "nas:/results"


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"machine_id": BOX}, "machine_id"),
        ({"files": FILES[:2]}, "manifest.files"),
        ({"files": (*FILES[:2], file("logs/run.txt", b"other"))}, "manifest.files"),
    ],
)
def test_what_proves_no_retrieval(database: Database, more: dict[str, Any], field: str) -> None:
    opened(database)
    sent(database, submission())
    with pytest.raises(Conflict) as refused:
        sent(database, proof(**more))
    assert refused.value.field == field
    assert standing(database).retrieved is None


def test_a_proof_says_what_differs(database: Database) -> None:
    opened(database)
    sent(database, submission())
    other = (FILES[0], file("reload.py", b"x"), file("new.txt"))
    with pytest.raises(Conflict) as refused:
        sent(database, proof(files=other))
    assert refused.value.extra["difference"] == {
        "missing": ["logs/run.txt"], "added": ["new.txt"], "changed": ["reload.py"],
    }  # fmt: skip


def test_a_proof_needs_a_submission_and_two_machines(database: Database) -> None:
    opened(database)
    with pytest.raises(Conflict):
        sent(database, proof())
    with pytest.raises(Malformed):
        sent(database, proof(machine_id=None))
    sent(database, submission(machine_id=None))
    with pytest.raises(Conflict):
        sent(database, proof())


def test_a_later_submission_is_not_retrieved_by_an_earlier_proof(database: Database) -> None:
    opened(database)
    sent(database, submission())
    sent(database, proof())
    sent(database, submission(submission_id="2" * 32))
    assert standing(database).retrieved is None


def test_where_the_files_lie(database: Database) -> None:
    opened(database)
    sent(database, submission())
    first = placed(database, " nas:/results ")
    assert placed(database, "nas:/results").number == first.number
    placed(database, "nas:/archive")
    found = standing(database).place
    assert found is not None
    assert (found.where, found.seen_on) == ("nas:/archive", date(2026, 12, 1))
    with pytest.raises(Malformed):
        placed(database, "")


def test_rebuild_gives_the_same_rows(database: Database) -> None:
    opened(database)
    sent(database, submission())
    sent(database, adapter(submission_id="2" * 32))
    judged(database, "rejected", "no")
    sent(database, proof())
    placed(database, "nas:/results")

    def command(tx: WriteSession) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        before = contents(tx.connection, TABLES)
        rebuild(tx)
        return before, contents(tx.connection, TABLES)

    before, after = database.write(None, command)
    assert before == after
    assert all(before[table] for table in TABLES)


@pytest.mark.parametrize("table", sorted(TABLES))
@pytest.mark.parametrize("act", ["UPDATE {table} SET deliverable = 'x'", "DELETE FROM {table}"])
def test_the_database_keeps_the_history(database: Database, table: str, act: str) -> None:
    opened(database)
    sent(database, submission())
    sent(database, proof())
    placed(database, "nas:/results")
    with pytest.raises(Exception, match="appended only"):
        database.write(ID, lambda tx: tx.execute(act.format(table=table)))


def test_a_history_holds_everything_newest_first(database: Database) -> None:
    opened(database)
    sent(database, submission())
    judged(database, "rejected", "no")
    with database.read() as session:
        found = queries.history(session, ID, "predictions")
    assert [verdict.verdict for verdict in found.verdicts] == ["rejected", "accepted"]
    assert len(found.submissions) == 1


def test_evidence_that_comes_late_takes_the_acceptance_back(database: Database) -> None:
    """A second process of the run replays its spool: its loss was not finite, so it was stopped."""
    rule = PlannedStopRule("loss-not-finite", "non_finite", "loss")
    opened(database, replace(plan(), stop_rules=(rule,)))
    assert sent(database, submission()).state == "accepted"
    post(database, MAKER, "beat", source="rank-1", seq=1, metrics={"loss": "nan"})
    found = standing(database)
    assert (str(found.state), found.unfinished) == ("submitted", (MAKER,))
    assert f"No longer recorded as completed: {MAKER}." in str(found.reason)
    with database.read() as session:
        counts = queries.acceptance(session, ID)
    assert counts.accepted == 0
    with pytest.raises(Conflict):
        judged(database, "accepted", "It looks right.")
