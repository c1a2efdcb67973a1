"""A small real HTTP server that speaks the job API, and that can be told to misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from punktum.evaluating import Observation, RuleState, evaluate_all
from punktum.stop_rules import StopRule, as_dict

Event = dict[str, Any]
Key = tuple[str, str, str, int]


class Loopback:
    """Keeps events by their key, judges rules, answers as the wire protocol says.

    ``mode``: ``well``, ``hang``, ``garbage``, ``drop`` (cut the connection), or an HTTP status
    such as ``500``. ``refuse`` may turn single events away; ``standing`` is what submissions come
    to, whatever their checks say. Without the ``wanted_token`` every answer is ``without_token``.
    """

    def __init__(self, port: int = 0) -> None:
        self.mode = "well"
        self.events: dict[Key, Event] = {}
        self.batches: list[int] = []
        self.paths: list[str] = []
        self.tokens: set[str | None] = set()
        self.submissions: dict[str, tuple[str, Event]] = {}
        self.standing: str | None = None
        self.wanted_token: str | None = None
        self.without_token = 401
        self.rules: tuple[StopRule, ...] = ()
        self.names: dict[str, str] = {}
        self.states: dict[str, dict[str, RuleState]] = {}
        self.stops: dict[str, dict[str, str | None]] = {}
        self.sheet: dict[str, Any] = {"format": "punktum-sheet/1", "campaign": {"id": "c"}}
        self.refuse: Callable[[Event], tuple[int, dict[str, Any]] | None] = lambda event: None
        self.server_time = "2026-12-01T08:00:00.000Z"
        self.most_events: int | None = None
        self.retry_after: str | None = None
        self.deaf_to: set[Key] = set()
        self.warnings: list[str] = []
        self.lock = threading.Lock()
        self._free = threading.Event()
        self.duplicates = 0
        self.connections = 0
        self._server = _QuietServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._free.set()
        self._server.shutdown()
        self._server.server_close()

    def hang(self) -> None:
        self._free.wait(60)

    def kinds(self, run: str, source: str | None = None) -> list[str]:
        return [str(event["kind"]) for event in self.of(run, source)]

    def of(self, run: str, source: str | None = None) -> list[Event]:
        """The events of a run by source and number."""
        with self.lock:
            return [
                event
                for key, event in sorted(self.events.items())
                if key[0] == run and source in (None, key[2])
            ]

    def end(self, run: str) -> Event:
        """The one terminal event of a run."""
        ends = [event for event in self.of(run) if event["kind"] in ("stop", "fail", "finish")]
        assert len(ends) == 1, ends
        return ends[0]

    def record(self) -> dict[Key, Event]:
        """Everything known, for comparing one record with another."""
        with self.lock:
            return dict(self.events)

    def take(self, event: Event) -> dict[str, Any]:
        """Judge one event; its result in a batch."""
        key = (event["run"], event["attempt_id"], event["source"], event["seq"])
        refused = self.refuse(event)
        if refused is not None:
            return {"status": refused[0], "problem": refused[1]}
        with self.lock:
            if key in self.deaf_to:
                self.deaf_to.discard(key)
                return {"status": 200, "duplicate": False}
            duplicate = key in self.events
            self.duplicates += duplicate
            if not duplicate:
                self.events[key] = event
                self._judge(event)
        return {"status": 200, "duplicate": duplicate}

    def _judge(self, event: Event) -> None:
        run = event["run"]
        if event["kind"] == "beat":
            seen = Observation(
                event.get("metrics", {}), event.get("progress"), event.get("elapsed_s")
            ).named(self.names)
            before = self.states.get(run, {})
            self.states[run], firings = evaluate_all(self.rules, before, seen)
            for firing in firings:
                if firing.act == "stop":
                    self.stops.setdefault(run, {"rule": firing.rule, "text": firing.text})

    def answer(self, batch: list[Event]) -> dict[str, Any]:
        """The fields of a single answer, for the run of the last event."""
        last = batch[-1]
        run, attempt, source = last["run"], last["attempt_id"], last["source"]
        with self.lock:
            seen = {key[3] for key in self.events if key[:3] == (run, attempt, source)}
            number = len(self.events)
        body: dict[str, Any] = {
            "status": "running",
            "silent": False,
            "stalled": False,
            "attempt": 1,
            "duplicate": False,
            "stop_requested": self.stops.get(run),
            "missing_seq": sorted(set(range(1, max(seen, default=0))) - seen),
            "window_ends_at": "2026-12-03T07:00:00.000Z",
            "server_time": self.server_time,
            "head": {"number": number, "sha256": f"{number:064x}"},
            "warnings": self.warnings,
        }
        if any(event["kind"] == "start" for event in batch):
            body["rules"] = [as_dict(rule) for rule in self.rules]
            body["metric_names"] = self.names
        return body


class _QuietServer(ThreadingHTTPServer):
    """Clients that are killed in the middle of a request are the point of these tests."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        return


def _handler(owner: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            owner.connections += 1
            super().setup()

        def log_message(self, format: str, *args: Any) -> None:
            return

        def do_GET(self) -> None:
            self._note()
            if not self._misbehaves():
                self._answer(200, owner.sheet)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            self._note()
            if self._misbehaves():
                return
            if self.path == "/api/v1/events":
                self._events(json.loads(body)["events"])
            elif self.path.endswith("/submissions"):
                self._submission(json.loads(body))
            else:
                self._answer(404, {"title": "Not found", "status": 404})

        def _note(self) -> None:
            owner.paths.append(self.path)
            owner.tokens.add(self.headers.get("Authorization"))

        def _events(self, events: list[Event]) -> None:
            if owner.most_events is not None and len(events) > owner.most_events:
                self._answer(413, {"title": "Too large", "status": 413})
                return
            owner.batches.append(len(events))
            results = [owner.take(event) for event in events]
            self._answer(200, {"results": results, **owner.answer(events)})

        def _submission(self, body: Event) -> None:
            deliverable = self.path.split("/")[-2]
            known = body["submission_id"] in owner.submissions
            owner.submissions[body["submission_id"]] = (deliverable, body)
            passed = all(check["passed"] for check in body["checks"])
            state = owner.standing or ("accepted" if passed else "submitted")
            self._answer(200 if known else 201, {"state": state, "reason": None})

        def _misbehaves(self) -> bool:
            mode = owner.mode
            wanted = owner.wanted_token
            if wanted is not None and self.headers.get("Authorization") != f"Bearer {wanted}":
                self._answer(owner.without_token, {"title": "No", "detail": "not this token"})
                return True
            if mode == "well":
                return False
            if mode == "hang":
                owner.hang()
                self.close_connection = True
            elif mode == "drop":
                self.close_connection = True
                self.connection.close()
            elif mode == "garbage":
                self._raw(200, b'<html>"results": [}\xff\xfe</html>')
            else:
                self._answer(int(mode), {"title": "No", "detail": f"told to say {mode}"})
            return True

        def _answer(self, status: int, value: object) -> None:
            self._raw(status, json.dumps(value).encode())

        def _raw(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if owner.retry_after is not None and status != 200:
                self.send_header("Retry-After", owner.retry_after)
            self.end_headers()
            self.wfile.write(body)

    return Handler


def wait_until(true: Callable[[], object], most_s: float = 30.0) -> None:
    """Wait for something that must come; the limit only guards against hanging for ever."""
    ends = time.monotonic() + most_s
    while not true():
        assert time.monotonic() < ends, "it did not come"
        time.sleep(0.02)
