"""Recording what jobs post: events into the stream, the fold of their runs, and what binds into
the journal, all in the writer's one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from app.db import WriteSession
from app.errors import AppError, Malformed, NotFound
from app.journal import Actor, Head
from app.runs.commands.accepting import Entered, as_planned, enter
from app.runs.commands.knowing import Knowledge, book, unknown_rule
from app.runs.commands.late import ComingLate, named
from app.runs.commands.opening import Campaign, Found, Open, look
from app.runs.commands.refusals import archived, illegal
from app.runs.commands.repeating import by_our_clock, contradicts, is_repeated, said_at_us
from app.runs.commands.watching import judge_attempt
from app.runs.commands.writing import save, store
from app.runs.rules.attempts import started_at_us
from app.runs.rules.events import ENDS, Event, Kind, Stored
from app.runs.rules.streams import EMPTY
from app.runs.rules.times import CLOCK_OFF, us_of
from app.runs.rules.transitions import TRANSITIONS
from app.runs.rules.viewing import ASKED, asked_of, stop_asked
from app.runs.rules.views import StopAsk
from app.texts import Text, text
from punktum.configuration import config_sha256

MISSING = 1000
"""How many missing numbers are named in one answer."""
_ALIVE = ("planned", "running")


class Result(NamedTuple):
    """What became of one event: stored, there already, or refused."""

    duplicate: bool = False
    refusal: AppError | None = None


@dataclass(slots=True)
class Recorded:
    """What the poster is told: the results in order, and the run of the last event."""

    results: list[Result] = field(default_factory=list)
    run: str | None = None
    status: str | None = None
    silent: bool = False
    stalled: bool = False
    attempt: int | None = None
    superseded_by: int | None = None
    stop: StopAsk | None = None
    missing: Sequence[int] = ()
    window_ends_at: datetime | None = None
    head: Head | None = None
    warnings: list[Text] = field(default_factory=list)
    rules: str | None = None
    names: str | None = None


def record(
    tx: WriteSession,
    campaign_id: str,
    posts: Sequence[Event | AppError],
    actor: Actor,
    now: datetime,
) -> Recorded:
    """Record posts in their order, each judged alone; all of one campaign."""
    return Recording(tx, campaign_id, actor, now).record(posts)


def record_one(
    tx: WriteSession, campaign_id: str, event: Event, actor: Actor, now: datetime
) -> Recorded | AppError:
    """Record a single post; its refusal is the answer."""
    recorded = Recording(tx, campaign_id, actor, now).record((event,))
    return recorded.results[0].refusal or recorded


class Recording:
    """One transaction's work. One attempt is open at a time, and written when another is opened
    or all events are in."""

    def __init__(self, tx: WriteSession, campaign_id: str, actor: Actor, now: datetime) -> None:
        self._tx = tx
        self._campaign_id = campaign_id
        self._actor = actor
        self._now = now
        self._now_us = us_of(now)
        self._campaign: Campaign | None = None
        self._open: Open | None = None
        self._asked: tuple[str, str | None] | None = None
        self._told = Recorded()
        self._late = ComingLate(tx, now)
        self._has_start = False

    def record(self, posts: Sequence[Event | AppError]) -> Recorded:
        """Record all posts, then say where the last one's run stands."""
        told, last = self._told, None
        for post in posts:
            if isinstance(post, AppError):
                told.results.append(Result(refusal=post))
                continue
            try:
                entered, duplicate = self._take(post)
            except AppError as refusal:
                told.results.append(Result(refusal=refusal))
                continue
            told.results.append(Result(duplicate))
            told.superseded_by = _taken_over_by(entered.attempt)
            last = entered
        self._write()
        self._late.write(self._actor)
        if last is not None and self._campaign is not None:
            self._say(last, self._campaign)
        return told

    def _take(self, event: Event) -> tuple[Entered, bool]:
        """Put one event into its attempt; True when it was there already. Raises its refusal."""
        if event.seq is None:
            event = by_our_clock(event)
        campaign, entered = self._enter(event)
        attempt, event = entered.attempt, entered.event
        self._has_start = self._has_start or event.kind is Kind.START
        stream = attempt.streams.get(event.source, EMPTY)
        seq = event.seq
        if entered.is_repeated or (seq is not None and stream.numbers.has(seq)):
            return entered, True
        if campaign.standing == "closed":
            return entered, self._keep_late(campaign, attempt, event)
        if seq is None:
            if is_repeated(self._tx, attempt, event):
                return entered, True
            seq = stream.numbers.last + 1
        if attempt.row.archived:
            raise archived(event.run)
        if event.seq is None and contradicts(attempt, event):
            raise illegal(event.run, attempt.facts.status, event.kind)
        if event.kind in ENDS:
            _refuse_before_start(attempt, event)
        at_us = self._now_us if event.at_us is None else event.at_us
        stored = Stored(event.source, seq, event.kind, at_us, self._now_us, event.fields)
        self._warn(attempt, stored, entered.knowledge)
        told = self._told.warnings
        told += [one for one in entered.warnings if one not in told]
        store(self._tx, campaign, attempt, stored, entered.knowledge)
        return entered, False

    def _enter(self, event: Event) -> tuple[Campaign, Entered]:
        asked = (event.run, event.attempt_id)
        is_open = self._open is not None and asked == self._asked
        if is_open and event.kind is not Kind.START and self._campaign and self._open:
            return self._campaign, as_planned(self._open, event)
        self._write()
        found = look(self._tx, self._campaign_id, event.run, event.attempt_id)
        if found is None:
            raise NotFound(text("There is no campaign {id}.", id=self._campaign_id))
        entered = self._of(found, event)
        self._campaign, self._open, self._asked = found.campaign, entered.attempt, asked
        return found.campaign, entered

    def _of(self, found: Found, event: Event) -> Entered:
        """The attempt found; one that is not there, or that starts, is looked at more closely."""
        known = found.attempt
        if known is not None and event.seq is not None:
            stream = known.streams.get(event.source)
            if stream is not None and stream.numbers.has(event.seq):
                return Entered(known, event)
        if found.campaign.standing == "closed":
            return Entered(named(found, event, self._now_us), event)
        entered = enter(self._tx, found, event, self._now_us)
        if isinstance(entered, AppError):
            raise archived(event.run) if found.row.archived else entered
        return entered

    def _keep_late(self, campaign: Campaign, attempt: Open, event: Event) -> bool:
        """Keep what came after the close apart; True when it was there already."""
        is_known = self._late.keep(campaign, attempt, event)
        said = text("the campaign is closed; kept as evidence that came late, it changes no figure")
        if not is_known and said not in self._told.warnings:
            self._told.warnings.append(said)
        return is_known

    def _write(self) -> None:
        if self._open is not None and self._open.is_dirty and self._campaign is not None:
            judge_attempt(self._tx, self._campaign, self._open, self._now)
            save(self._tx, self._campaign, self._open, self._actor, self._now)

    def _warn(self, attempt: Open, stored: Stored, knowledge: Knowledge | None) -> None:
        found: list[Text] = []
        fields = stored.fields
        if knowledge is not None and (unplanned := knowledge.warning(fields.get("step"))):
            found.append(unplanned)
        if "config" in fields and config_sha256(fields["config"]) != fields["config_sha256"]:
            found.append(text("config_sha256 is not the hash of config; it counts as it came"))
        for item in fields.get("fired", ()):
            if item["rule"] not in attempt.context.acts:
                found.append(unknown_rule(item["rule"]))
        named = fields.get("rule")
        if named is not None and named not in attempt.context.acts:
            found.append(unknown_rule(named))
        is_newest = stored.seq > attempt.streams.get(stored.source, EMPTY).numbers.last
        begins = stored.kind is Kind.START and not attempt.facts.started
        is_over = any(stream.end is not None for stream in attempt.streams.values())
        if is_over and is_newest and not begins:
            status = attempt.facts.status
            if TRANSITIONS[status, stored.kind].how in ("late", "refused"):
                said = text(
                    "{run} is {status}; this is kept as late evidence",
                    run=attempt.run,
                    status=status.value,
                )
                found.append(said)
        self._told.warnings += [one for one in found if one not in self._told.warnings]

    def _say(self, last: Entered, campaign: Campaign) -> None:
        """Where the run of the last event stands."""
        attempt, told = last.attempt, self._told
        told.run, told.attempt = attempt.run, attempt.number or None
        told.status = attempt.row.status if attempt.row.attempt else None
        if attempt.number == attempt.row.attempt and told.status in _ALIVE:
            due, stall = attempt.due_us, attempt.stall_due_us
            told.silent = due is not None and due < self._now_us
            told.stalled = not told.silent and stall is not None and stall < self._now_us
        for one in attempt.streams.values():
            if one.judged.firings or one.ask is not None:
                told.stop = stop_asked(attempt.facts)
        if told.stop is None and ASKED in attempt.start_fields:
            told.stop = asked_of(attempt.facts, attempt.start_fields)
        stream = attempt.streams.get(last.event.source, EMPTY)
        if stream.numbers.gaps and campaign.standing != "closed":
            told.missing = stream.numbers.missing(MISSING)
        if self._has_start:
            told.rules, told.names = attempt.rules, attempt.names
        lot = attempt.start_fields.get("lot")
        told.head = campaign.head
        told.window_ends_at = book.usable_until(
            self._tx, campaign.id, campaign.head, lot, self._now
        )


def _taken_over_by(attempt: Open) -> int | None:
    """The attempt that took over from this one while it ran, as it stood before these posts.

    So the post that brings its end is told as well.
    """
    current = attempt.row.attempt
    if attempt.late or attempt.number >= current:
        return None
    return current if attempt.before.started and attempt.before.end is None else None


def _refuse_before_start(attempt: Open, event: Event) -> None:
    """An end before its start is refused, unless the job measured how long it ran.

    Where the posts carry no number the times that they said are compared, if both did.
    """
    began = started_at_us(attempt.streams)
    ended = event.at_us
    if event.seq is None:
        began, ended = said_at_us(attempt.start_fields), said_at_us(event.fields)
    if began is None or ended is None or "elapsed_s" in event.fields:
        return
    # A clock that was set right in between has made the two uncomparable by what it was off.
    off_us = abs(attempt.start_fields.get(CLOCK_OFF, 0)) * 1_000_000
    if ended < began - off_us:
        raise Malformed(text("{field}: the end lies before the start.", field="at"), field="at")
