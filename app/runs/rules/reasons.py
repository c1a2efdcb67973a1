"""Why a rule fired, in the reader's language: said from the facts of the record.

Box and server write one English sentence into the record, which stays as it is. Read back, with
the rule beside it, it holds all that the sentence in another language needs. What our own code
did not write is a job's own words: they are shown as they came, behind what the facts say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.runs.rules.views import RunView
from app.texts import Text, text
from app.units import Duration, UnitError, parse_duration
from punktum.stop_rules import StopRule

_SPAN = r"(\d+ (?:d|h|min|s)(?: \d+ (?:d|h|min|s))?)"
_NOT_FINITE = re.compile(r".+ is (\S+?)(?:, (\d+) values in a row)?\Z")
_BEYOND = re.compile(r".+ (\S+) is (?:below|above) (\S+?)(?:, (\d+) values in a row)?\Z")
_CONTROL = re.compile(r"not better than the control: .+ (\S+) against the control's (\S+)\Z")
_TRUNCATED = re.compile(r"(\d+) of (\d+) (.+?) are truncated(?:, at most (\d+) may be)?\Z")
_OVER = re.compile(rf"{_SPAN} is over {_SPAN}\Z")
_SAVE = re.compile(rf"past the last save that can still be fetched, by {_SPAN}\Z")
_NO_RESTORE = re.compile(rf"no restore check had passed after {_SPAN}\Z")
_QUIET = re.compile(rf"no (sign of life|progress) for {_SPAN}\Z")


@dataclass(frozen=True, slots=True)
class Facts:
    """A firing as the record has it: the rule, the metric and value seen, the text as written."""

    rule: StopRule
    metric: str | None
    value: str | None
    written: str

    def read(self, pattern: re.Pattern[str]) -> Sequence[str | None]:
        """What the written text holds in its places; none where our code did not write it so."""
        found = pattern.match(self.written)
        return found.groups() if found is not None else ()


Said = tuple[Text | None, bool]
"""What the facts say, None where too little is known, and whether the written text is ours."""


def fired_said(
    rules: Sequence[StopRule], rule: str, metric: str | None, value: str | None, written: str
) -> Text:
    """Why a rule fired; `rules` are those of its run. A rule of the job's own speaks for itself."""
    known = next((one for one in rules if one.id == rule), None)
    say = _SAYING.get(known.kind) if known is not None else None
    if known is None or say is None:
        return text("{said}", said=written or rule)
    said, is_ours = say(Facts(known, metric or known.metric, value, written))
    if said is None:
        return text("{said}", said=written or rule)
    if is_ours or written in ("", rule):
        return said
    return text("{said} (“{written}”)", said=said, written=written)


def rule_said(run: RunView, rule: str, written: str) -> Text:
    """Why a rule of a run fired; `written` is what the record says of it."""
    fired = [one for one in run.fired if one.rule == rule]
    seen = next((one for one in fired if one.text == written), fired[0] if fired else None)
    metric, value = (seen.metric, seen.value) if seen is not None else (None, None)
    return fired_said(run.judged_by, rule, metric, value, written)


def _not_finite(of: Facts) -> Said:
    found = of.read(_NOT_FINITE)
    value, row = found or (of.value, of.rule.for_)
    if of.metric is None or value is None:
        return None, False
    return _in_a_row(text("{metric} is {value}", metric=of.metric, value=value), row), bool(found)


def _beyond(of: Facts) -> Said:
    found = of.read(_BEYOND)
    value, threshold, row = found or (of.value, of.rule.value, of.rule.for_)
    if of.metric is None or value is None or threshold is None:
        return None, False
    values = {"metric": of.metric, "value": value, "threshold": threshold}
    if of.rule.kind == "below":
        said = text("{metric} {value} is below {threshold}", **values)
    else:
        said = text("{metric} {value} is above {threshold}", **values)
    return _in_a_row(said, row), bool(found)


def _in_a_row(said: Text, row: str | int | None) -> Text:
    n = int(row or 1)
    return text("{said}, {n} values in a row", said=said, n=n) if n > 1 else said


def _not_better(of: Facts) -> Said:
    found = of.read(_CONTROL)
    if of.metric is None or (not found and of.value is None):
        return None, False
    if not found:
        said = text("not better than the control: {metric} {value}",
                    metric=of.metric, value=of.value)  # fmt: skip
        return said, False
    value, control = found
    said = text(
        "not better than the control: {metric} {value}, the control's {control}",
        metric=of.metric, value=value, control=control,
    )  # fmt: skip
    return said, True


def _truncated(of: Facts) -> Said:
    found = of.read(_TRUNCATED)
    if not found:
        if of.metric is None or of.value is None:
            return None, False
        return text("{name}: {n} cut short", name=of.metric, n=_figure(of.value)), False
    n, total, name, most = found
    values = {"name": name, "n": _figure(n), "total": _figure(total)}
    if most is None:
        return text("{name}: {n} of {total} cut short", **values), True
    most_said = _figure(most)
    return text("{name}: {n} of {total} cut short, at most {most} may be", **values,
                most=most_said), True  # fmt: skip


def _overtime(of: Facts) -> Said:
    over, save = of.read(_OVER), of.read(_SAVE)
    if over:
        took, limit = map(_span, over)
        return text("it took {time}, longer than {limit}", time=took, limit=limit), True
    if save:
        return text("past the last save that can still be fetched, by {time}",
                    time=_span(save[0])), True  # fmt: skip
    if of.rule.after_s is None:
        return None, False
    return text("it took longer than {limit}", limit=Duration(of.rule.after_s)), False


def _no_restore(of: Facts) -> Said:
    found = of.read(_NO_RESTORE)
    after = _span(found[0]) if found else Duration(of.rule.after_s or 0)
    return text("no restore check had passed after {time}", time=after), bool(found)


def _silent(of: Facts) -> Said:
    found = of.read(_QUIET)
    if found:
        quiet = _span(found[1])
        if found[0] == "progress":
            return text("no progress for {time}", time=quiet), True
        return text("no sign of life for {time}", time=quiet), True
    if of.rule.after_s is None:
        return None, False
    limit = Duration(of.rule.after_s)
    return text("no sign of life or no progress for longer than {limit}", limit=limit), False


_SAYING: Final[Mapping[str, Callable[[Facts], Said]]] = {
    "non_finite": _not_finite,
    "below": _beyond,
    "above": _beyond,
    "not_better": _not_better,
    "input_truncated": _truncated,
    "overtime": _overtime,
    "no_restore": _no_restore,
    "silent": _silent,
}
"""Kind of a rule → how its firing is said; a custom rule's words are its own."""
_SEEN: Final[Sequence[tuple[re.Pattern[str], Text]]] = (
    (re.compile(rf"{_SPAN} past\Z"), text("{time} past the last save")),
    (re.compile(rf"{_SPAN} left\Z"), text("{time} left for the last save")),
    (re.compile(rf"{_SPAN}\Z"), text("{time}")),
)
_WORDS: Final[Mapping[str, Text]] = {
    "none passed": text("none passed"),
    "a restore check passed": text("a restore check passed"),
}
_OF = re.compile(r"(\d+) of (\d+)\Z")


def seen_said(kind: str | None, seen: str) -> Text:
    """The last value of a rule, or the one it fired on: a length of time in words, a number as it
    came."""
    if kind in ("overtime", "silent"):
        for pattern, said in _SEEN:
            found = pattern.match(seen)
            if found is not None:
                return Text(said.msgid, {"time": _span(found[1])})
    if kind == "no_restore" and seen in _WORDS:
        return _WORDS[seen]
    counts = _OF.match(seen) if kind == "input_truncated" else None
    if counts is not None:
        return text("{done} of {total}", done=_figure(counts[1]), total=_figure(counts[2]))
    return text("{said}", said=seen)


def _span(said: str | None) -> Duration | str:
    """A length of time as our code writes it; a text that is none stays."""
    try:
        return Duration(parse_duration(said), some=True)
    except UnitError:
        return said or ""


def _figure(said: str | None) -> int | str:
    """A count for a sentence; what does not fit a number stays text."""
    return int(said) if said and said.isdecimal() and len(said) < 19 else said or ""
