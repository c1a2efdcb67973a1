"""The server's answer to events, as a frozen dataclass; what cannot be read counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from punktum import reading
from punktum.marks import StopRequest
from punktum.stop_rules import StopRule, parse_rule


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said; ``rules`` and ``metric_names`` are None where it said nothing."""

    status: str | None = None
    attempt: int | None = None
    superseded_by: int | None = None
    stop_requested: StopRequest | None = None
    missing_seq: tuple[int, ...] = ()
    window_ends_at: str | None = None
    server_time: str | None = None
    head: tuple[int, str] | None = None
    warnings: tuple[str, ...] = ()
    rules: tuple[StopRule, ...] | None = None
    metric_names: dict[str, str] | None = None


def read_answer(body: Mapping[str, object]) -> Answer:
    """Read the fields of a single answer, which are also the top level of a batch's answer."""
    stop = body.get("stop_requested")
    head = reading.record(body.get("head"))
    number, sha256 = reading.whole(head.get("number")), reading.text(head.get("sha256"))
    return Answer(
        status=reading.text(body.get("status")),
        attempt=reading.whole(body.get("attempt")),
        superseded_by=reading.whole(body.get("superseded_by")),
        stop_requested=_stop(reading.record(stop)) if isinstance(stop, Mapping) else None,
        missing_seq=tuple(reading.wholes(body.get("missing_seq"))),
        window_ends_at=reading.text(body.get("window_ends_at")),
        server_time=reading.text(body.get("server_time")),
        head=(number, sha256) if number is not None and sha256 is not None else None,
        warnings=tuple(reading.texts(body.get("warnings"))),
        rules=readable_rules(body["rules"]) if "rules" in body else None,
        metric_names=read_names(body["metric_names"]) if "metric_names" in body else None,
    )


def readable_rules(value: object) -> tuple[StopRule, ...]:
    """The rules that can be read; one that cannot is judged by the server alone."""
    rules = []
    for item in reading.records(value):
        try:
            rules.append(parse_rule(item))
        except ValueError:
            continue
    return tuple(rules)


def read_names(value: object) -> dict[str, str]:
    """``{our name: the job's name}``."""
    return {our: job for our, job in reading.record(value).items() if isinstance(job, str)}


def _stop(stop: Mapping[str, object]) -> StopRequest:
    return StopRequest(
        reading.text(stop.get("rule")), reading.text(stop.get("text")) or "a stop was asked for"
    )


@dataclass(frozen=True, slots=True)
class StartNews:
    """How the start went: ``recorded``, ``refused``, ``unreachable``, or ``unknown`` so far."""

    word: str = "unknown"
    text: str = ""
    next_id: str | None = None

    @property
    def offer(self) -> str:
        """The next id, where the server offered one that its text does not name already."""
        if self.next_id is None:
            return ""
        named = "" if self.next_id in self.text else f"; the next id is {self.next_id}"
        return f"{named} (--run {self.next_id})"


@dataclass(frozen=True, slots=True)
class Result:
    """The server's word on one event of a batch."""

    status: int
    problem: dict[str, object]
    retry_after_s: int | None = None
    duplicate: bool = False

    @property
    def stored(self) -> bool:
        """Stored, or there already."""
        return 200 <= self.status < 300

    @property
    def meets_another(self) -> bool:
        """Whether another attempt of the run still reports, as far as the server knows."""
        return str(self.problem.get("type", "")).endswith("/attempt-alive")

    @property
    def detail(self) -> str:
        """Why it was refused, in words."""
        return str(self.problem.get("detail") or self.problem.get("title") or self.status)

    @property
    def retried(self) -> bool:
        """Kept and sent again later."""
        return is_retried(self.status)


def is_retried(status: int) -> bool:
    """Statuses after which the client keeps an event and sends it again."""
    return status in (401, 403, 408, 429) or status >= 500


def read_results(body: Mapping[str, object], expected: int) -> list[Result] | None:
    """One result per event in order; None when the body is not an answer to this batch."""
    found = body.get("results")
    if not isinstance(found, list) or len(found) != expected:
        return None
    results = []
    for item in reading.records(found):
        status = reading.whole(item.get("status"))
        if status is None or not 200 <= status < 600 or 300 <= status < 400:
            return None
        results.append(
            Result(
                status,
                reading.record(item.get("problem")),
                reading.whole(item.get("retry_after")),
                item.get("duplicate") is True,
            )
        )
    return results if len(results) == expected else None
