"""Writing decisions down on both databases, and what the rule says of real runs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from app.db import Database, WriteSession
from app.decisions import queries
from app.decisions.commands import Recorded, record
from app.decisions.rules.entering import NewDecision
from app.decisions.rules.log import Decisions
from app.errors import AppError, Closed, Conflict, Malformed, NotFound
from app.journal import Actor, entries
from app.journal.audit import contents, rebuild
from tests.conftest import NOW, PERSON
from tests.decisions.plans import HOUR_S, ID, plan
from tests.decisions.runs import completed, post, started
from tests.deliverables.campaigns import closed
from tests.plan.drafts import saved, sealed


def opened(database: Database) -> None:
    saved(database, plan())
    sealed(database, ID)


def decided(
    database: Database, choice: str = "continue", *, actor: Actor = PERSON, **more: Any
) -> Recorded:
    new = NewDecision(choice, **{"reason": "the pilot is within 1.3 times", **more})

    def command(tx: WriteSession) -> Recorded | AppError:
        return record(tx, ID, new, actor=actor, now=NOW)

    found = database.write(ID, command)
    assert isinstance(found, Recorded)
    return found


def log(database: Database) -> Decisions:
    with database.read() as session:
        return queries.read(session, ID)


def desk(database: Database) -> queries.Desk:
    with database.read() as session:
        found = queries.desk(session, ID, NOW)
    assert found is not None
    return found


def test_a_decision_ends_its_point_and_stays(database: Database) -> None:
    opened(database)
    assert [point.step for point in desk(database).points] == ["pilot-decision"]
    recorded = decided(database, step="pilot-decision", link="https://example.org/notes")
    assert recorded.is_new
    found = log(database)
    assert found.ended["pilot-decision"].at == NOW
    assert found.entries[0].link == "https://example.org/notes"
    assert (found.entries[0].actor_kind, found.entries[0].actor_name) == ("person", "local")
    assert desk(database).points == ()


def test_a_correction_is_a_new_entry(database: Database) -> None:
    opened(database)
    first = decided(database, "cut", step="pilot-decision", cut=("probe",))
    second = decided(database, "continue", corrects=first.entry.number, reason="there is time")
    found = log(database)
    assert found.cut == {}
    assert [entry.corrected_by for entry in found.entries] == [None, second.entry.number]
    assert found.ended["pilot-decision"].number == first.entry.number
    with pytest.raises(Conflict):
        decided(database, "stop", corrects=first.entry.number)


def test_the_same_decision_sent_twice_is_written_once(database: Database) -> None:
    opened(database)
    first = decided(database, step="pilot-decision")
    again = decided(database, step="pilot-decision")
    assert not again.is_new
    assert (again.entry.number, again.head) == (first.entry.number, first.head)
    with pytest.raises(Conflict):
        decided(database, step="pilot-decision", actor=Actor("person", "someone else"))


@pytest.mark.parametrize(
    ("more", "refusal", "field"),
    [
        ({"choice": "wait"}, Malformed, "choice"),
        ({"reason": ""}, Malformed, "reason"),
        ({"step": "control"}, Malformed, "step"),
        ({"choice": "cut"}, Malformed, "cut"),
        ({"choice": "cut", "cut": ("control",)}, Conflict, "cut"),
        ({"choice": "revise", "version": 2}, Malformed, "version"),
        ({"corrects": 99}, Malformed, "corrects"),
        ({"link": "javascript:x"}, Malformed, "link"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(
    database: Database, more: dict[str, Any], refusal: type[AppError], field: str
) -> None:
    opened(database)
    with pytest.raises(refusal) as refused:
        decided(database, **more)
    assert refused.value.field == field
    assert refused.value.extra["problems"] == [{"field": field, "detail": str(refused.value)}]
    with database.read() as session:
        assert [entry.kind for entry in entries(session, ID)] == ["plan.sealed"]


def test_after_the_close_and_without_a_campaign(database: Database) -> None:
    with pytest.raises(NotFound):
        decided(database)
    opened(database)
    closed(database)
    with pytest.raises(Closed):
        decided(database)


def test_a_step_that_is_done_cannot_be_cut(database: Database) -> None:
    opened(database)
    completed(database, "probe-1", "probe")
    with pytest.raises(Conflict):
        decided(database, "cut", cut=("probe",))


def test_a_draft_takes_decisions_too(database: Database) -> None:
    saved(database, plan())
    assert decided(database, step="pilot-decision").is_new


def test_rebuild_and_guards(database: Database) -> None:
    opened(database)
    first = decided(database, "cut", step="pilot-decision", cut=("variant-b", "probe"))
    decided(database, "stop", corrects=first.entry.number)
    table = frozenset({"decisions"})

    def command(tx: WriteSession) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        before = contents(tx.connection, table)
        rebuild(tx)
        return before, contents(tx.connection, table)

    before, after = database.write(None, command)
    assert before == after
    assert len(before["decisions"]) == 2
    for act in ("UPDATE decisions SET reason = 'x'", "DELETE FROM decisions"):
        with pytest.raises(Exception, match="appended only"):
            database.write(ID, _run(act))


def _run(statement: str) -> Callable[[WriteSession], int]:
    return lambda tx: tx.execute(statement)


def test_what_the_pilot_says(database: Database) -> None:
    opened(database)
    completed(database, "pilot-1", "pilot", elapsed_s=5 * HOUR_S)
    (point,) = desk(database).points
    (fact,) = point.facts
    assert (fact.run, fact.observed_s, fact.ratio) == ("pilot-1", 5 * HOUR_S, Fraction(5, 4))
    assert point.remaining_at_ratio_s == 40 * HOUR_S


def test_the_decision_rule_reads_real_runs(database: Database) -> None:
    """Mapped names, the value of the end, a stop by a rule on the metric, unequal corpora."""
    opened(database)
    completed(database, "c-1", "control", {"eval_f1": 0.8}, corpora={"eval": "a" * 64})
    completed(database, "a-1", "variant-a", {"eval_f1": 0.82}, corpora={"eval": "a" * 64})
    started(database, "b-1", "variant-b")
    post(database, "b-1", "beat", progress=400, elapsed_s=60, metrics={"eval_f1": 0.31})
    post(database, "b-1", "stop", elapsed_s=90, reason_code="rule:f1-too-low", rule="f1-too-low")
    said = desk(database).evaluation
    found = {line.step: line for line in said.variants}
    assert (found["variant-a"].verdict, found["variant-a"].difference) == (
        "passes", Fraction(2, 100),
    )  # fmt: skip
    assert found["variant-b"].verdict == "does_not_pass"
    assert str(found["variant-b"].reason) == (
        "b-1 was stopped by the rule f1-too-low: f1 was 0.31 at step 400"
    )
    assert said.proposed == "positive"
    with database.read() as session:
        assert queries.evaluation(session, ID, NOW) == said


def test_a_loss_that_is_not_finite_is_no_evidence(database: Database) -> None:
    opened(database)
    completed(database, "c-1", "control", {"eval_f1": 0.8})
    started(database, "a-1", "variant-a")
    post(database, "a-1", "beat", progress=4, elapsed_s=60, metrics={"loss": "nan"})
    post(database, "a-1", "fail", elapsed_s=90, exit_code=1)
    (line, _) = desk(database).evaluation.variants
    assert line.verdict == "no_evidence"
    assert str(line.reason) == "a-1 was stopped by the rule loss-not-finite: loss was nan"


def test_unequal_corpora_are_not_compared(database: Database) -> None:
    opened(database)
    completed(database, "c-1", "control", {"eval_f1": 0.8}, corpora={"eval": "a" * 64})
    completed(database, "a-1", "variant-a", {"eval_f1": 0.9}, corpora={"eval": "b" * 64})
    (line, _) = desk(database).evaluation.variants
    assert line.verdict == "no_evidence"
    assert "not comparable" in str(line.reason)
