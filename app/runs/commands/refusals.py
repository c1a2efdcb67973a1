"""What the job API refuses beside malformed input, with what the client needs to go on."""

from __future__ import annotations

from app.errors import Closed, Conflict, Gone, Malformed
from app.runs.rules.events import Kind, Status
from app.runs.rules.starting import AttemptAlive as Alive
from app.runs.rules.starting import NewIdNeeded as Needed
from app.runs.rules.values import Unreadable
from app.texts import Text, text


class NewIdNeeded(Conflict):
    """Another configuration, or a run whose work is over: it goes on under a new id."""

    name = "new-id-needed"
    title = text("A new run id is needed")


class AttemptAlive(Conflict):
    """Another process still reports under this run id."""

    name = "attempt-alive"
    title = text("Another attempt is alive")


class Illegal(Conflict):
    """An act that the run's status does not allow."""

    name = "illegal-transition"
    title = text("The run's status does not allow this")


def closed() -> Closed:
    """The refusal of what a person says of a run of a closed campaign."""
    return Closed(text("This campaign was closed. Its record is not changed any more."))


def archived(run: str) -> Gone:
    """The refusal of anything new for a run that a person put away, and the way back."""
    said = text(
        "{run} is archived: nothing new is added to it. Bring it back on its page, then send this "
        "again; its spool stays yours.",
        run=run,
    )
    return Gone(said, run=run)


def malformed(error: Unreadable) -> Malformed:
    """A field that could not be read."""
    return Malformed(error.said, field=error.field, allowed=error.allowed)


def new_id_needed(run: str, needed: Needed, following: str) -> NewIdNeeded:
    """Says what changed, or how the run ended, and which id comes next."""
    return NewIdNeeded(
        _why(run, needed, following),
        changed=list(needed.changed),
        parent=run,
        next_id=following,
    )


def recorded_elsewhere(run: str, needed: Needed, other: str) -> NewIdNeeded:
    """This very attempt is there already, under an id that it went to before."""
    said = text("This attempt is there already: it is recorded as {run}.", run=other)
    return NewIdNeeded(said, changed=list(needed.changed), parent=run, next_id=other)


def attempt_alive(run: str, alive: Alive) -> AttemptAlive:
    """Names the host that still reports, where it was told."""
    if alive.host is None:
        said = text(
            "{run} still reports; its host was not told. Wait until it is silent, end it there, or "
            "say takeover.",
            run=run,
        )
    else:
        said = text(
            "{run} still runs on {host}. Wait until it is silent, end it there, or say takeover.",
            run=run,
            host=alive.host,
        )
    return AttemptAlive(said, host=alive.host, attempt_id=alive.attempt_id)


def illegal(run: str, status: Status, kind: Kind) -> Illegal:
    """Names the run's status and what was asked of it."""
    said = text(
        "{run} is {status}: “{kind}” does not follow.",
        run=run,
        status=status.value,
        kind=kind.value,
    )
    return Illegal(said, status_now=status.value, asked=kind.value)


def _why(run: str, needed: Needed, following: str) -> Text:
    if needed.changed:
        return text(
            "{run} has another configuration: {changed} differs. Use a new id, {next}.",
            run=run,
            changed=needed.changed,
            next=following,
        )
    if needed.rule is not None:
        return text(
            "Rule {rule} stopped {run}. A changed configuration starts under a new id, {next}.",
            run=run,
            rule=needed.rule,
            next=following,
        )
    return text("{run} has completed. Another run gets a new id, {next}.", run=run, next=following)
