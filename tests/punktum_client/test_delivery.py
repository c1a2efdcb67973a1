"""From the spool to the server: retried, split, refused, asked again, never lost, never twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from punktum.answers import Answer, read_answer, read_results
from punktum.carried import Carried, Refusal
from punktum.delivery import LONGEST_RETRY_AFTER_S, MOST_EVENTS, Delivery
from punktum.events import Identity
from punktum.ledger import read_standing, refused_path
from punktum.marks import StopRequest, marked_held
from punktum.server import Server
from punktum.settings import Settings
from punktum.spool import SpoolWriter, file_name
from tests.punktum_client.loopback import Event, Loopback

WHO = Identity("a-01", "0f" * 16)


class Way:
    """A writer, a server and the delivery between them."""

    def __init__(self, folder: Path, server: Loopback, url: str | None = None) -> None:
        self.writer = SpoolWriter(folder, WHO)
        self.answers: list[Answer] = []
        self.refusals: list[Refusal] = []
        self.client = Server(Settings(url or server.url, "pk_x"), timeout_s=1.0)
        self.delivery = Delivery(
            self.client,
            self.writer.path,
            writer=self.writer,
            on_answer=self.answers.append,
            on_refusal=self.refusals.append,
        )

    def write(self, *kinds: str) -> None:
        for kind in kinds:
            self.writer.append({"kind": kind})

    def all(self) -> list[Carried]:
        """Send until nothing is left or it must wait."""
        carried: list[Carried] = []
        while not carried or carried[-1].sent or carried[-1] == Carried():
            carried.append(self.delivery.send_next())
        return carried


Make = Callable[..., Way]


@pytest.fixture
def way(tmp_path: Path, server: Loopback) -> Way:
    return Way(tmp_path, server)


def test_events_arrive_once_over_one_connection(way: Way, server: Loopback) -> None:
    way.write("start", *["beat"] * 2500, "finish")
    assert way.all()[-1].idle
    assert [event["seq"] for event in server.of("a-01")] == list(range(1, 2503))
    assert (server.duplicates, server.connections) == (0, 1)
    assert server.batches[0] == 1
    assert max(server.batches) <= MOST_EVENTS
    assert read_standing(way.writer.path).acked_seq in range(1, 2503)
    assert way.delivery.ledger.now.acked_seq == 2502


def test_the_start_travels_alone(way: Way, server: Loopback) -> None:
    way.write("start", "beat", "beat")
    assert way.delivery.send_next().sent == 1
    assert way.answers[0].rules == ()
    assert way.delivery.send_next().sent == 2
    assert way.answers[1].rules is None


@pytest.mark.parametrize("mode", ["401", "403", "408", "429", "500", "503", "garbage", "drop"])
def test_what_can_pass_is_waited_out(way: Way, server: Loopback, mode: str) -> None:
    way.write("start", "beat")
    server.mode = mode
    carried = way.delivery.send_next()
    assert carried.wait_s is not None
    assert carried.wait_s > 0
    assert carried.not_allowed is (mode in ("401", "403"))
    assert way.delivery.ledger.now.trouble == carried.why
    server.mode = "well"
    assert way.all()[-1].idle
    assert server.kinds("a-01") == ["start", "beat"]
    assert not refused_path(way.writer.path).exists()
    assert way.delivery.ledger.now.trouble is None


def test_a_hanging_server_is_left_after_the_time_limit(way: Way, server: Loopback) -> None:
    way.write("start")
    server.mode = "hang"
    carried = way.delivery.send_next()
    assert carried.wait_s is not None
    assert carried.why.endswith("does not answer: no answer in time")


def test_no_server_at_all_is_waited_out(tmp_path: Path, server: Loopback) -> None:
    gone = server.url
    server.close()
    way = Way(tmp_path, server, gone)
    way.write("start")
    carried = way.delivery.send_next()
    assert carried.wait_s is not None
    assert "Connection refused" in carried.why


@pytest.mark.parametrize(("said", "least"), [("7", 7.0), ("999999", LONGEST_RETRY_AFTER_S)])
def test_retry_after_is_respected(way: Way, server: Loopback, said: str, least: float) -> None:
    way.write("start")
    server.mode, server.retry_after = "503", said
    assert way.delivery.send_next().wait_s == least


def test_waits_grow_and_stay_bounded(way: Way, server: Loopback) -> None:
    way.write("start")
    server.mode = "500"
    waits = [way.delivery.send_next().wait_s or 0 for _ in range(20)]
    assert waits[0] <= 0.5
    assert 30 <= waits[-1] <= 60


@pytest.mark.parametrize("mode", ["404", "405", "301"])
def test_an_address_that_is_no_punktum_is_tried_slowly(
    way: Way, server: Loopback, mode: str
) -> None:
    way.write("start")
    server.mode = mode
    carried = way.delivery.send_next()
    assert carried.wait_s is not None
    assert carried.wait_s >= 30
    assert "is this the address of a Punktum?" in carried.why


def test_a_batch_too_large_is_split(way: Way, server: Loopback) -> None:
    way.write("start", *["beat"] * 700)
    server.most_events = 100
    assert way.all()[-1].idle
    assert len(server.of("a-01")) == 701
    assert max(server.batches) <= 100


def test_a_refused_batch_is_split_to_the_bad_event(way: Way, server: Loopback) -> None:
    """A server that refuses the whole post costs the bad line only."""
    way.write("start", *["beat"] * 9)
    way.delivery.send_next()
    server.mode = "422"
    assert way.delivery.send_next() == Carried()
    server.mode = "well"
    assert way.all()[-1].idle
    assert len(server.of("a-01")) == 10


def test_a_refused_event_stays_in_the_spool_and_its_neighbours_pass(
    way: Way, server: Loopback
) -> None:
    way.write("start", *["beat"] * 5, "finish")
    before = way.writer.path.read_bytes()
    problem = {"title": "Malformed", "detail": "progress must not be negative", "status": 422}
    server.refuse = lambda event: (422, problem) if event["seq"] == 4 else None
    assert way.all()[-1].idle
    assert [event["seq"] for event in server.of("a-01")] == [1, 2, 3, 5, 6, 7]
    assert [(refusal.seq, refusal.status) for refusal in way.refusals] == [(4, 422)]
    note = json.loads(refused_path(way.writer.path).read_text())
    assert (note["seq"], note["problem"]) == (4, problem)
    assert way.writer.path.read_bytes() == before


def test_an_event_put_off_is_sent_again_with_all_after_it(way: Way, server: Loopback) -> None:
    way.write("start", *["beat"] * 5)
    way.delivery.send_next()
    server.refuse = lambda event: (503, {}) if event["seq"] == 4 else None
    carried = way.delivery.send_next()
    assert (carried.sent, carried.wait_s is not None) == (2, True)
    server.refuse = lambda event: None
    assert way.all()[-1].idle
    assert [event["seq"] for event in server.of("a-01")] == [1, 2, 3, 4, 5, 6]


def test_a_refused_start_holds_the_attempt_back(way: Way, server: Loopback) -> None:
    problem = {"type": "x/problems/new-id-needed", "detail": "new id needed", "next_id": "a-02"}
    server.refuse = lambda event: (409, problem) if event["kind"] == "start" else None
    way.write("start", "beat", "finish")
    assert way.delivery.send_next() == Carried(sent=1, held=True)
    assert way.delivery.send_next() == Carried(held=True)
    assert server.record() == {}
    assert way.answers == []
    assert marked_held(way.writer.path.parent, WHO) == problem


def test_what_the_server_misses_is_sent_once_more(way: Way, server: Loopback) -> None:
    way.write("start", *["beat"] * 6)
    server.deaf_to = {("a-01", WHO.attempt_id, "main", seq) for seq in (3, 5)}
    assert way.all()[-1].idle
    assert [event["seq"] for event in server.of("a-01")] == [1, 2, 3, 4, 5, 6, 7]


def test_what_is_nowhere_is_not_asked_for_ever(tmp_path: Path, server: Loopback) -> None:
    way = Way(tmp_path, server)
    way.write("start", *["beat"] * 4)
    lines = way.writer.path.read_bytes().splitlines(keepends=True)
    way.writer.path.write_bytes(b"".join([lines[0], *lines[3:]]))
    assert way.all()[-1].idle
    assert [event["seq"] for event in server.of("a-01")] == [1, 4, 5]


def test_events_the_disk_did_not_take_are_sent_from_memory(
    tmp_path: Path, server: Loopback
) -> None:
    (tmp_path / file_name(WHO)).symlink_to("/dev/full")
    way = Way(tmp_path, server)
    way.write("start", "beat", "finish")
    assert way.all()[-1].idle
    assert server.kinds("a-01") == ["start", "beat", "finish"]
    assert way.writer.waiting_in_memory(9) == []
    way.writer.close()


def test_a_stop_request_is_heard(way: Way, server: Loopback) -> None:
    server.stops["a-01"] = {"rule": "low-f1", "text": "f1 0.1 is below 0.5"}
    way.write("start")
    way.delivery.send_next()
    assert way.answers[-1].stop_requested == StopRequest("low-f1", "f1 0.1 is below 0.5")
    assert way.answers[-1].head is not None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"results": None},
        {"results": [{"status": 200}]},
        {"results": [{"status": "200"}, {"status": 200}]},
        {"results": [{"status": 200}, 7]},
        {"results": [{"status": 200}, {"status": 302}]},
        {"results": [{"status": 200}, {"status": 7000}]},
    ],
)
def test_an_answer_to_another_question_is_none(body: dict[str, Any]) -> None:
    assert read_results(body, 2) is None


def test_an_answer_of_odd_types_is_read_as_far_as_it_goes() -> None:
    odd: Event = {
        "status": 7,
        "stop_requested": "yes",
        "missing_seq": [1, "2", True, None, 3],
        "head": {"number": "x"},
        "rules": [{"id": "r"}, {"id": "s", "kind": "custom"}],
        "metric_names": {"f1": "eval_f1", "x": 3},
    }
    answer = read_answer(odd)
    assert (answer.status, answer.stop_requested, answer.head) == (None, None, None)
    assert answer.missing_seq == (1, 3)
    assert [rule.id for rule in answer.rules or ()] == ["s"]
    assert answer.metric_names == {"f1": "eval_f1"}
