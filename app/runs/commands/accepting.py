"""Which attempt an event belongs to, and whether a start becomes a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from app.db import WriteSession
from app.errors import AppError
from app.runs.commands.knowing import Knowledge, book, knowledge, only_warns
from app.runs.commands.opening import Found, Open, RunRow, attempts_of
from app.runs.commands.refusals import attempt_alive, new_id_needed, recorded_elsewhere
from app.runs.rules import naming
from app.runs.rules.events import ENDS, SHELL, TRACKER, Event, Kind, Status
from app.runs.rules.starting import (
    Accepted,
    AttemptAlive,
    KnownAttempt,
    KnownRun,
    NewIdNeeded,
    Starting,
    judge_start,
)
from app.runs.rules.times import CLOCK_OFF, CLOCK_PRESUMED, at_of, us_of
from app.runs.rules.viewing import ASKED, asked_of, current_of
from app.texts import Text, text

STEP_SAID: Final = "step_said"
"""The step that a start named where its run belongs to another."""
COMPARED: Final = 500
"""So many of a campaign's newest runs an id that no start came for is compared with."""


class Entered(NamedTuple):
    """The attempt an event goes to; `knowledge` where the event takes a new look at the plan.

    `warnings` is what its poster should be told of it.
    """

    attempt: Open
    event: Event
    knowledge: Knowledge | None = None
    is_repeated: bool = False
    warnings: tuple[Text, ...] = ()


def enter(tx: WriteSession, found: Found, event: Event, now_us: int) -> Entered | AppError:
    """The attempt of an event, made where it is new; refuses a start that may not be."""
    if event.kind is Kind.START:
        return _start(tx, found, event, now_us)
    if found.attempt is not None:
        return as_planned(found.attempt, event)
    known = _knowledge(tx, found, event, now_us)
    made = _new(found.campaign.id, event, found.row, 1 + _last(tx, found, event), known, now_us)
    is_unheard_of = found.row.attempt == 0 and event.source != TRACKER
    warnings = (_unstarted(tx, found.campaign.id, event.run),) if is_unheard_of else ()
    return Entered(made, event, known, warnings=warnings)


def as_planned(attempt: Open, event: Event) -> Entered:
    """An event of a known attempt. An end that names a rule which only warns is the job's own
    word: what a rule leads to is what the plan says, and this one stops nothing."""
    rule = event.fields.get("rule") if event.kind in ENDS else None
    if rule is None or attempt.context.acts.get(rule) != "warn":
        return Entered(attempt, event)
    said = event.fields.get("reason_text")
    kept = {n: v for n, v in event.fields.items() if n not in ("rule", "reason_code")}
    kept["reason_text"] = (f"{rule}: {said}" if said else str(rule))[:500]
    return Entered(attempt, event._replace(fields=kept), warnings=(only_warns(rule),))


def _unstarted(tx: WriteSession, campaign_id: str, run: str) -> Text:
    """What to say of a run that begins with something else than its start: a slip, most likely."""
    rows = tx.rows(
        "SELECT run_id FROM runs WHERE campaign_id = :campaign ORDER BY first_event DESC LIMIT :n",
        {"campaign": campaign_id, "n": COMPARED},
    )
    meant = naming.nearest(run, [row[0] for row in rows])
    if meant is None:
        return text("no start of {run} was received; kept until it comes", run=run)
    return text("no start of {run} was received; did you mean {meant}?", run=run, meant=meant)


def _knowledge(tx: WriteSession, found: Found, event: Event, now_us: int) -> Knowledge:
    """The plan as it holds for an attempt on the lot that it names, or that holds now."""
    campaign, lot = found.campaign, event.fields.get("lot")
    until = book.usable_until(tx, campaign.id, campaign.head, lot, at_of(now_us))
    return knowledge(tx, campaign.id, until)


def _start(tx: WriteSession, found: Found, event: Event, now_us: int) -> Entered | AppError:
    attempts = attempts_of(tx, found.campaign.id, event.run, found.row)
    event, own, repeated = _own_attempt(attempts, event)
    if own is not None and repeated:
        return Entered(own, event, is_repeated=True)
    others = [one for one in attempts if one is not own]
    run = KnownRun(*_configuration(attempts), [_known(one, now_us) for one in others])
    own_started = own is not None and own.facts.started
    verdict = judge_start(replace(run, attempts=()) if own_started else run, _starting(event))
    if isinstance(verdict, AttemptAlive):
        return attempt_alive(event.run, verdict)
    if isinstance(verdict, Accepted) and verdict.late and own is not None:
        verdict = NewIdNeeded((), Status.COMPLETED)
    if isinstance(verdict, NewIdNeeded):
        recorded = _recorded_as(tx, found.campaign.id, event)
        if recorded is not None:
            return recorded_elsewhere(event.run, verdict, recorded)
        return new_id_needed(event.run, verdict, _next_id(tx, found.campaign.id, event.run))
    known = _knowledge(tx, found, event, now_us)
    number = max((one.number for one in attempts), default=0) + 1
    made = own or _new(found.campaign.id, event, found.row, number, known, now_us)
    if own is None:
        made.late = verdict.late
    made.supersedes = verdict.supersedes
    event, warnings = _of_its_step(attempts, _with_wish(attempts, verdict.supersedes, event))
    return Entered(made, event, known, warnings=warnings)


def _with_wish(attempts: Sequence[Open], number: int | None, event: Event) -> Event:
    """A start that takes over from an attempt which a person asked to stop: it is the run that was
    asked, so the wish goes on with it."""
    before = next((one for one in attempts if one.number == number), None)
    wish = asked_of(before.facts, before.start_fields) if before is not None else None
    if wish is None or wish.rule is not None:
        return event
    asked = {"text": wish.text, "at_us": us_of(wish.at)}
    return event._replace(fields={**event.fields, ASKED: asked})


def _of_its_step(attempts: Sequence[Open], event: Event) -> tuple[Event, tuple[Text, ...]]:
    """A start under another step than the run's first start stays with the first: a run is one
    execution of one step's work. What the start said is kept beside it."""
    first = next((one.start_fields["step"] for one in attempts if one.facts.started), None)
    step = event.fields["step"]
    if first in (None, step):
        return event, ()
    said = text(
        "{run} belongs to step “{first}”: this attempt, which names “{step}”, counts for it too",
        run=event.run,
        first=first,
        step=step,
    )
    return event._replace(fields={**event.fields, "step": first, STEP_SAID: step}), (said,)


def _own_attempt(attempts: Sequence[Open], event: Event) -> tuple[Event, Open | None, bool]:
    """The attempt a start names, or for a shell the one that it repeats or completes."""
    if event.attempt_id is not None:
        named = (one for one in attempts if one.attempt_id == event.attempt_id)
        return event, next(named, None), False
    if not attempts:
        return event._replace(attempt_id=SHELL), None, False
    current = _current(attempts)
    if current.attempt_id.startswith(SHELL) and current.facts.end is None:
        if not current.facts.started:
            return event._replace(attempt_id=current.attempt_id), current, False
        if _same(current.start_fields, event.fields):
            return event._replace(attempt_id=current.attempt_id), current, True
    number = max(one.number for one in attempts) + 1
    return event._replace(attempt_id=f"{SHELL}-{number}"), None, False


def _same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether a start says what the stored one said; where and how it came is not part of that."""
    ours = ("source", "seq", "at", CLOCK_OFF, CLOCK_PRESUMED, ASKED)
    said, again = ({n: v for n, v in one.items() if n not in ours} for one in (before, now))
    if STEP_SAID in said:
        said["step"] = said.pop(STEP_SAID)
    return said == again


def _current(attempts: Sequence[Open]) -> Open:
    current = current_of([one.kept() for one in attempts])
    return next(one for one in attempts if one.number == current.number)


def _configuration(attempts: Sequence[Open]) -> tuple[str | None, Mapping[str, Any] | None]:
    """The run's configuration: hash and parts, as its first start said."""
    for one in attempts:
        if one.facts.started:
            fields = one.start_fields
            return fields.get("config_sha256"), fields.get("config")
    return None, None


def _known(one: Open, now_us: int) -> KnownAttempt:
    facts, fields, due = one.facts, one.start_fields, one.due_us
    stop = facts.stopped_by
    return KnownAttempt(
        one.attempt_id,
        one.number,
        facts.started and not one.late,
        facts.status,
        facts.end.reason_code if facts.end else None,
        stop.rule if stop is not None and facts.status is Status.RUNNING else None,
        due is not None and due < now_us,
        fields.get("host"),
        fields.get("machine_id"),
        frozenset(fields.get("gone_attempts", ())),
    )


def _starting(event: Event) -> Starting:
    fields = event.fields
    return Starting(
        event.attempt_id or SHELL,
        fields["config_sha256"],
        fields.get("config"),
        fields.get("host"),
        fields.get("machine_id"),
        fields.get("takeover", False),
        frozenset(fields.get("gone_attempts", ())),
    )


def _last(tx: WriteSession, found: Found, event: Event) -> int:
    row = tx.row(
        "SELECT max(number) FROM attempts WHERE campaign_id = :campaign AND run_id = :run",
        {"campaign": found.campaign.id, "run": event.run},
    )
    return int(row[0] or 0)


def _new(
    campaign_id: str, event: Event, row: RunRow, number: int, known: Knowledge, now_us: int
) -> Open:
    attempt_id = event.attempt_id or SHELL
    return Open(
        0, event.run, attempt_id, number, False, now_us, row, known.version, known.rules,
        known.names, is_new=True,
    )  # fmt: skip


def _recorded_as(tx: WriteSession, campaign_id: str, event: Event) -> str | None:
    """The run that this very attempt went to when its start came before, from a spool whose marks
    are not here: it is no new run, however often it is sent.

    The attempts of shells have the same ids in every run, so theirs tell nothing.
    """
    if event.attempt_id is None or event.attempt_id.startswith(SHELL):
        return None
    known = tx.row(
        "SELECT run_id FROM attempts WHERE campaign_id = :campaign AND attempt_id = :attempt"
        " AND run_id <> :run ORDER BY run_id LIMIT 1",
        {"campaign": campaign_id, "attempt": event.attempt_id, "run": event.run},
    )
    return None if known is None else str(known[0])


def _next_id(tx: WriteSession, campaign_id: str, run: str) -> str:
    stem = naming.stem(run).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = tx.rows(
        "SELECT run_id FROM runs WHERE campaign_id = :campaign AND run_id LIKE :like ESCAPE '\\'",
        {"campaign": campaign_id, "like": f"{stem}%"},
    )
    return naming.next_id(run, {row[0] for row in rows})
