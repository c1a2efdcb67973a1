"""What a tracker's client says, translated: its runs, parameters and metrics as events of ours.

The words are those of MLflow's REST interface. Nothing here reads a clock or a database.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from app.runs.rules.events import RUN_ID
from app.runs.rules.naming import first_id
from app.runs.rules.values import METRICS, Unreadable, metrics
from app.texts import text

STEP_TAG: Final = "punktum.step"
RUN_TAG: Final = "punktum.run"
ATTEMPT_TAG: Final = "punktum.attempt"
_NAME_TAG: Final = "mlflow.runName"
_PARENT_TAG: Final = "mlflow.parentRunId"
_NAMELESS: Final = "training"
_ATTEMPT: Final = re.compile(r"[0-9a-f]{32}\Z")
_REFERENCE: Final = re.compile(r"([0-9a-f]{32})([-_])([A-Za-z0-9_-]{1,128})\Z")
_UNPRINTED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_LATEST_MS: Final = 7_000_000_000_000
_MOST_STEP: Final = (1 << 53) - 1
_DAY_US: Final = 86_400_000_000


class Reference(NamedTuple):
    """A tracker's run as ours: `attached` where a wrapper or our client speaks for the attempt."""

    attempt_id: str
    run: str
    attached: bool

    @property
    def said(self) -> str:
        """The id that the tracker's client is given; everything is in it, nothing is looked up."""
        escaped = self.run.replace("_", "__").replace(".", "_d")
        return f"{self.attempt_id}{'_' if self.attached else '-'}{escaped}"

    def after(self, number: int) -> str:
        """The attempt's id when the tracker's run goes on for the `number`th time."""
        if number == 1:
            return self.attempt_id
        return hashlib.sha256(f"{self.attempt_id}:{number}".encode()).hexdigest()[:32]


class Created(NamedTuple):
    """A run as the tracker's client creates it. `run` is None where its id is to be proposed."""

    attempt_id: str
    run: str | None
    attached: bool
    step: str
    name: str
    tags: Mapping[str, str]
    started_us: int | None

    @property
    def proposal(self) -> str:
        """The id to begin with."""
        return self.run or first_id(self.step)


class Logged(NamedTuple):
    """What one call logs: metrics by moment, parameters, tags, and notes for the run's log."""

    values: tuple[Moment, ...] = ()
    params: Mapping[str, str] = {}
    tags: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


class Moment(NamedTuple):
    """The values of one moment, at most as many as an event takes."""

    at_us: int | None
    step: int
    values: Mapping[str, float | str]


def reference(said: object) -> Reference:
    """Read an id that was given to a client; Unreadable for any other."""
    found = _REFERENCE.match(said) if isinstance(said, str) else None
    run = "" if found is None else re.sub(r"__|_d", _unescaped, found[3])
    if found is None or not RUN_ID.match(run):
        raise Unreadable("run_id", text("There is no run with the id {id}.", id=shown(said, 200)))
    return Reference(found[1], run, found[2] == "_")


def _unescaped(match: re.Match[str]) -> str:
    return "_" if match[0] == "__" else "."


def created(body: Mapping[str, Any]) -> Created:
    """Read the creation of a run: the same body again is the same run, for clients try again.

    The step is that of the tag `punktum.step`, else the run's name. A run inside another one of
    the tracker's is never the attempt that a wrapper speaks for.
    """
    tags = _pairs(body, "tags")
    name = shown(body.get("run_name") or tags.get(_NAME_TAG) or "", 200)
    step = shown(tags.get(STEP_TAG) or name or _NAMELESS, 64)
    run, attempt = tags.get(RUN_TAG), tags.get(ATTEMPT_TAG)
    if _PARENT_TAG in tags and attempt is not None:
        run = attempt = None
    if run is not None and not RUN_ID.match(run):
        raise Unreadable(RUN_TAG, text("{run} is no run id.", run=shown(run, 200)))
    attached = run is not None and attempt is not None and bool(_ATTEMPT.match(attempt))
    own = attempt if attached and attempt is not None else fingerprint("create", body)
    return Created(own, run, attached, step, name, tags, milliseconds(body.get("start_time")))


def logged(body: Mapping[str, Any]) -> Logged:
    """Read metrics, parameters and tags of a batch."""
    values = [_metric(one) for one in _objects(body, "metrics")]
    return Logged(_moments(values), _pairs(body, "params"), _pairs(body, "tags"))


def logged_one(name: str, body: Mapping[str, Any]) -> Logged:
    """Read a single metric, param or tag, as a batch of one."""
    return logged({f"{name}s": [body]})


def logged_inputs(body: Mapping[str, Any]) -> Logged:
    """Read which data sets a run was given: a note for each."""
    sets = [one.get("dataset") for one in _objects(body, "datasets")]
    told = [one for one in sets if isinstance(one, Mapping)]
    notes = [shown(f"data set {one.get('name')} ({one.get('digest')})", 500) for one in told]
    return Logged(notes=tuple(notes))


def fingerprint(call: str, body: Mapping[str, Any]) -> str:
    """A name for one call with this very body: what is tried again has the same."""
    said = json.dumps([call, body], sort_keys=True, default=str)
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]


def _metric(one: Mapping[str, Any]) -> tuple[int | None, int, str, Any]:
    name = shown(one.get("key"), 128)
    if not name:
        raise Unreadable("key", text("A metric needs a key."))
    step = _whole(one.get("step"), "step") or 0
    return milliseconds(one.get("timestamp")), min(step, _MOST_STEP), name, one.get("value")


def _moments(values: Sequence[tuple[int | None, int, str, Any]]) -> tuple[Moment, ...]:
    """Values in their order: those of one step and moment together, each name once."""
    found: list[tuple[int | None, int, dict[str, Any]]] = []
    for at_us, step, name, value in values:
        last = found[-1] if found else None
        joins = last is not None and last[1] == step and name not in last[2]
        if last is None or not joins or len(last[2]) >= METRICS:
            found.append((at_us, step, {name: value}))
        else:
            last[2][name] = value
    return tuple(Moment(at_us, step, metrics(said, "metrics")) for at_us, step, said in found)


def _objects(body: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    said = body.get(name) or []
    if not isinstance(said, list) or not all(isinstance(one, Mapping) for one in said):
        raise Unreadable(name, text("{field} is a list of objects.", field=name))
    return said


def _pairs(body: Mapping[str, Any], name: str) -> dict[str, str]:
    return {
        str(one["key"]): str(one.get("value", "")) for one in _objects(body, name) if "key" in one
    }


def shown(said: object, most: int) -> str:
    """Anything as one line of text of at most so many characters."""
    return _UNPRINTED.sub(" ", str(said if said is not None else "")).strip()[:most]


def _whole(said: object, field: str) -> int | None:
    if said is None or said == "":
        return None
    try:
        return int(str(said))
    except ValueError:
        raise Unreadable(field, text("{field} is a whole number.", field=field)) from None


def milliseconds(said: object) -> int | None:
    """Milliseconds since 1970 as microseconds; None for what is no such time."""
    number = _whole(said, "timestamp")
    return number * 1000 if number is not None and 0 < number < _LATEST_MS else None


def believed(at_us: int | None, now_us: int) -> int | None:
    """A time of the tracker's where it may be the time; None, which stands for ours, where its
    clock is more than a day from ours: in seconds for milliseconds, say."""
    return at_us if at_us is not None and abs(at_us - now_us) <= _DAY_US else None


def as_believed(said: Logged, now_us: int) -> Logged:
    """What one call logs, without times that cannot be."""
    values = tuple(one._replace(at_us=believed(one.at_us, now_us)) for one in said.values)
    return said._replace(values=values)
