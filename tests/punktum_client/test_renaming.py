"""A proposed run id that is taken gives way to the next free one; one that was named never does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import punktum
from punktum.delivery import Delivery
from punktum.events import Identity
from punktum.marks import awaits_start, mark_proposed, marked_held, marked_named, settle
from punktum.naming import known_attempts, next_id, recorded_run, spool_identity
from punktum.renaming import MOST_IDS
from punktum.server import Server
from punktum.settings import Settings
from punktum.spool import SpoolWriter
from punktum.status import spool_status
from tests.punktum_client.box import TOKEN, Box, Done
from tests.punktum_client.loopback import Event, Loopback, wait_until
from tests.punktum_client.test_replay import replay

INSIDE = (
    "import os, punktum\n"
    "with punktum.run('control') as run:\n"
    "    run.metric('loss', 1)\n"
    "    print(os.environ['PUNKTUM_RUN_ID'], run.id)\n"
)
ALONE = (
    "import time, punktum\n"
    "with punktum.run('control', params={'lr': 1}%s) as run:\n"
    "    run.metric('loss', 1)\n"
    "    while run._recorder.start_news.word in ('unknown', 'unreachable'): time.sleep(0.01)\n"
    "    print(run.id)\n"
)


def taken(*ids: str) -> Callable[[Event], tuple[int, dict[str, Any]] | None]:
    """Starts under these ids are refused, each naming the id that comes next."""

    def refuse(event: Event) -> tuple[int, dict[str, Any]] | None:
        run = event["run"]
        if event["kind"] != "start" or run not in ids:
            return None
        detail = f"{run} has another configuration"
        return 409, {
            "type": "/problems/new-id-needed", "detail": detail, "next_id": next_id(run),
        }  # fmt: skip

    return refuse


def numbered(most: int) -> list[str]:
    return [f"control-{number:02}" for number in range(1, most + 1)]


def start(folder: Path, number: int, *kinds: str, config: str = "a", proposed: bool = True) -> Path:
    """An attempt of control-01 as it lies in a spool that no server has seen."""
    writer = SpoolWriter(folder, Identity("control-01", f"{number:032x}"))
    if proposed:
        mark_proposed(folder, writer.identity)
    about = {"step": "control", "config_sha256": config * 64}
    for kind in ("start", *kinds):
        at = f"2026-12-01T08:00:{number:02}.000Z"
        writer.append({"kind": kind, "at": at, **(about if kind == "start" else {})})
    writer.close()
    return writer.path


def recorded(server: Loopback) -> dict[str, set[str]]:
    """The attempts, by their last digit → the runs they are recorded under."""
    found: dict[str, set[str]] = {}
    for run, attempt_id, _, _ in server.record():
        found.setdefault(attempt_id[-1], set()).add(run)
    return found


def whole(box: Box, server: Loopback, run: str) -> None:
    """Each event of the spool is recorded once, under this run, and no event elsewhere."""
    named = [{**event, "run": run} for event in box.spooled()]
    by_number = sorted(named, key=lambda event: (event["source"], event["seq"]))
    assert list(server.of(run)) == by_number
    assert len(server.record()) == len(by_number)


def said(done: Done, text: str) -> int:
    return sum(text in line for line in done.err.splitlines())


# -- live -------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [1, 2, MOST_IDS])
def test_the_wrapper_goes_on_under_a_free_id(box: Box, server: Loopback, many: int) -> None:
    box.reports_to(server)
    server.refuse = taken(*numbered(many))
    done = box.run_job(INSIDE)
    free = f"control-{many + 1:02}"
    assert (done.code, done.out) == (0, f"{free} {free}\n")
    assert said(done, f"control-01 is taken: this run is recorded as {free}") == 1
    assert said(done, "NOT RECORDING") == 0
    assert said(done, f"{free} completed") == 1
    whole(box, server, free)
    assert {event["run"] for event in box.spooled()} == {"control-01"}
    assert {event["source"] for event in box.spooled()} == {"main", "wrapper"}
    record = server.record()
    for _ in range(2):
        again = box.run("replay", str(box.spool))
        assert (again.code, again.err) == (0, "")
        assert server.record() == record
    assert {source.recorded_as for source in spool_status(box.spool).sources} == {free}


@pytest.mark.parametrize("many", [1, 3])
def test_python_goes_on_under_a_free_id(box: Box, server: Loopback, many: int) -> None:
    box.reports_to(server)
    server.refuse = taken(*numbered(many))
    done = box.python_code(ALONE % "")
    free = f"control-{many + 1:02}"
    assert (done.code, done.out) == (0, f"{free}\n")
    assert said(done, f"control-01 is taken: this run is recorded as {free}") == 1
    whole(box, server, free)
    assert box.run("replay", str(box.spool)).code == 0
    whole(box, server, free)


def test_strict_is_content_with_another_id(
    box: Box, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUNKTUM_URL", server.url)
    monkeypatch.setenv("PUNKTUM_TOKEN", TOKEN)
    server.refuse = taken("control-01")
    with punktum.run("control", params={}, strict=True) as run:
        assert run.id == "control-02"
    assert server.end("control-02")["kind"] == "finish"


@pytest.mark.parametrize("way", ["--run", "PUNKTUM_RUN_ID", "run="])
def test_an_id_that_was_named_is_never_changed(box: Box, server: Loopback, way: str) -> None:
    box.reports_to(server)
    server.refuse = taken("control-01")
    if way == "PUNKTUM_RUN_ID":
        box.environment["PUNKTUM_RUN_ID"] = "control-01"
    if way == "run=":
        done = box.python_code(ALONE % ", run='control-01'")
    else:
        done = box.run_job("pass", *(["--run", "control-01"] if way == "--run" else []))
    assert done.code == 0
    assert said(done, "NOT RECORDING: control-01 has another configuration") == 1
    assert server.record() == {}
    asked = box.run("replay", str(box.spool))
    assert asked.code == 1
    way_out = f"punktum replay {box.spool} --run control-02"
    assert said(asked, way_out) == 1
    assert server.record() == {}
    assert box.run(*way_out.split()[1:]).code == 0
    whole(box, server, "control-02")


@pytest.mark.parametrize(
    "problem",
    [
        (409, {"type": "/problems/attempt-alive", "detail": "no", "next_id": "control-02"}),
        (409, {"type": "/problems/campaign-closed", "detail": "no"}),
        (409, {"type": "/problems/new-id-needed", "detail": "no"}),
        (409, {"type": "/problems/new-id-needed", "detail": "no", "next_id": "a b"}),
        (409, {"type": "/problems/new-id-needed", "detail": "no", "next_id": "control-01"}),
        (422, {"type": "/problems/malformed", "detail": "no", "next_id": "control-02"}),
    ],
)
def test_any_other_refusal_stands(
    box: Box, server: Loopback, problem: tuple[int, dict[str, Any]]
) -> None:
    box.reports_to(server)
    server.refuse = lambda event: problem if event["kind"] == "start" else None
    done = box.run_job(INSIDE)
    assert (done.code, done.out) == (0, "control-01 control-01\n")
    assert said(done, "NOT RECORDING: no") == 1
    assert server.record() == {}


def test_it_does_not_try_for_ever_and_a_replay_goes_on(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = lambda event: taken(event["run"])(event)
    done = box.run_job("pass")
    assert (done.code, said(done, "NOT RECORDING")) == (0, 1)
    assert server.paths.count("/api/v1/events") == MOST_IDS + 1
    last = f"control-{MOST_IDS + 1:02}"
    server.refuse = taken(*numbered(MOST_IDS + 4))
    again = box.run("replay", str(box.spool))
    assert (again.code, said(again, "control-01 is taken")) == (0, 1), last
    whole(box, server, f"control-{MOST_IDS + 5:02}")


def test_what_runs_inside_waits_for_the_start_to_be_taken(box: Box, server: Loopback) -> None:
    """The server comes back while the training goes on, and only then says that the id is taken."""
    box.reports_to(server)
    server.mode = "500"
    server.refuse = taken("control-01")
    code = (
        "import os, time, punktum\n"
        "with punktum.run('control') as run:\n"
        "    open('ready', 'w').write(os.environ['PUNKTUM_RUN_ID'])\n"
        "    while run.id == 'control-01':\n"
        "        run.metric('loss', 1); time.sleep(0.01)\n"
        "    print(run.id)\n"
    )
    job = box.job(code, "--on-end", "echo $PUNKTUM_RUN_ID > ended")
    ready = box.folder / "ready"
    wait_until(lambda: ready.exists() and ready.read_text())
    assert ready.read_text() == "control-01", "the start was not answered yet"
    server.mode = "well"
    done = box.done(job)
    assert (done.code, done.out) == (0, "control-02\n")
    assert said(done, "control-01 is taken: this run is recorded as control-02") == 1
    assert (box.folder / "ended").read_text() == "control-02\n"
    whole(box, server, "control-02")


def test_a_stop_reaches_what_runs_inside_under_the_new_id(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = taken("control-01")
    code = (
        "import time, punktum\n"
        "with punktum.run('control') as run:\n"
        "    open('ready', 'w').close()\n"
        "    while True: run.progress(1); time.sleep(0.01)\n"
    )
    job = box.job(code, "--beat", "1")
    wait_until((box.folder / "ready").exists)
    server.stops["control-02"] = {"rule": "loss-floor", "text": "too high"}
    done = box.done(job)
    end = server.end("control-02")
    assert (end["kind"], end["rule"]) == ("stop", "loss-floor")
    assert done.code == 1, "the code inside left by itself"


def test_only_the_source_that_starts_may_send_before_the_id_holds(
    tmp_path: Path, server: Loopback
) -> None:
    client = Server(Settings(server.url, TOKEN))
    wrapper = SpoolWriter(tmp_path, Identity("control-01", "1" * 32, "wrapper"))
    inside = SpoolWriter(tmp_path, Identity("control-01", "1" * 32))
    mark_proposed(tmp_path, wrapper.identity)
    wrapper.append({"kind": "start"})
    inside.append({"kind": "beat"})
    for heed_marks in (True, False):
        assert Delivery(client, inside.path, heed_marks=heed_marks).send_next().held
    assert server.record() == {}
    assert Delivery(client, wrapper.path, writer=wrapper).send_next().sent == 1
    assert not awaits_start(tmp_path, inside.identity)
    assert Delivery(client, inside.path).send_next().sent == 1
    client.close()


@pytest.mark.parametrize(
    ("changed", "parent"), [(["params.lr"], "control-02"), ([], None)], ids=["other", "the same"]
)
def test_a_renamed_start_says_whose_configuration_it_follows(
    box: Box, server: Loopback, changed: list[str], parent: str | None
) -> None:
    """The last id that was taken by another configuration; a mere repetition follows nobody."""
    box.reports_to(server)

    def refuse(event: Event) -> tuple[int, dict[str, Any]] | None:
        refused = taken("control-01", "control-02")(event)
        if refused is not None:
            refused[1].update(changed=changed, parent=event["run"])
        return refused

    server.refuse = refuse
    assert box.run_job(INSIDE).code == 0
    starts = [event for event in server.of("control-03") if event["kind"] == "start"]
    assert [event.get("parent") for event in starts] == [parent]
    others = [event for event in server.of("control-03") if event["kind"] != "start"]
    assert others
    assert all("parent" not in event for event in others)
    record = server.record()
    assert box.run("replay", str(box.spool)).code == 0
    assert server.record() == record
    assert {source.recorded_as for source in spool_status(box.spool).sources} == {"control-03"}


def test_a_start_that_names_its_parent_keeps_it(tmp_path: Path, server: Loopback) -> None:
    writer = SpoolWriter(tmp_path, Identity("control-01", "1" * 32))
    mark_proposed(tmp_path, writer.identity)
    writer.append({"kind": "start", "parent": "older-07"})
    about = {"changed": ["params.lr"], "parent": "control-01", "next_id": "control-02"}
    problem = {"type": "/problems/new-id-needed", **about}
    server.refuse = lambda event: (409, problem) if event["run"] == "control-01" else None
    assert replay(server, tmp_path).refused == 0
    assert [event["parent"] for event in server.of("control-02")] == ["older-07"]


def test_a_named_run_that_is_sent_under_another_id_follows_the_refused_one(
    box: Box, server: Loopback
) -> None:
    box.reports_to(server)
    about = {"detail": "other", "changed": ["params.lr"], "parent": "mine", "next_id": "mine-02"}
    server.refuse = lambda event: (409, about) if event["run"] == "mine" else None
    box.run_job("pass", "--run", "mine")
    assert box.run("replay", str(box.spool), "--run", "mine-02").code == 0
    assert [event.get("parent") for event in server.of("mine-02")] == ["mine", None]


# -- later ------------------------------------------------------------------------------------


def test_after_a_death_before_the_answer_the_same_new_id_is_tried(
    tmp_path: Path, server: Loopback
) -> None:
    path = start(tmp_path, 1, "beat", "finish")
    who = Identity("control-01", f"{1:032x}")
    client = Server(Settings(server.url, TOKEN))
    server.refuse = taken("control-01")
    live = Delivery(client, path)
    assert (live.send_next().sent, marked_named(tmp_path, who)) == (0, {"run": "control-02"})
    assert spool_status(tmp_path).sources[0].recorded_as is None, "it is only tried"
    assert live.send_next().sent == 1
    client.close()
    mark_proposed(tmp_path, who)  # as it lies there when the answer was not heard any more
    assert replay(server, tmp_path).refused == 0
    assert recorded(server) == {"1": {"control-02"}}
    assert len(server.record()) == 3


def test_a_replay_gives_a_proposed_id_up_by_itself(box: Box, server: Loopback) -> None:
    done = box.run_job(INSIDE)
    assert done.out == "control-01 control-01\n"
    box.reports_to(server)
    server.refuse = taken("control-01", "control-02")
    first = box.run("replay", str(box.spool), "--json")
    assert (first.code, first.json()["refused"]) == (0, 0)
    assert first.json()["renamed"] == ["control-01 is taken: this run is recorded as control-03"]
    assert said(first, "control-01 is taken: this run is recorded as control-03") == 1
    whole(box, server, "control-03")
    second = box.run("replay", str(box.spool))
    assert (second.code, second.err) == (0, "")
    whole(box, server, "control-03")


def test_a_replay_under_a_named_id_does_not_look_for_another(
    tmp_path: Path, server: Loopback
) -> None:
    start(tmp_path, 1, "finish")
    server.refuse = taken("control-01", "mine-01")
    done = replay(server, tmp_path, run="mine-01")
    assert (done.refused, done.renamed, server.record()) == (1, (), {})
    assert f"punktum replay {tmp_path} --run mine-02" in done.first_refusals[0]


def test_attempts_of_one_configuration_stay_one_run(tmp_path: Path, server: Loopback) -> None:
    start(tmp_path, 1, "fail")
    start(tmp_path, 2, "fail", config="b")
    start(tmp_path, 3, "finish")
    start(tmp_path, 4, "finish", config="b")
    ids = ["control-01"]

    def refuse(event: Event) -> tuple[int, dict[str, Any]] | None:
        """Another configuration's id is taken, whoever has it."""
        if event["kind"] != "start":
            return None
        holders = [one for one in server.of(event["run"]) if one["kind"] == "start"]
        holds = any(one["config_sha256"] == event["config_sha256"] for one in holders)
        if event["run"] not in ids or holds:
            ids.append(event["run"])
            return None
        problem = taken(event["run"])(event)
        assert problem is not None
        problem[1]["next_id"] = next_id(max(ids))
        return problem

    server.refuse = refuse
    for _ in range(2):
        assert replay(server, tmp_path).refused == 0
        assert recorded(server) == {
            "1": {"control-02"}, "2": {"control-03"}, "3": {"control-02"}, "4": {"control-03"},
        }  # fmt: skip
    assert [one.run for one in known_attempts(tmp_path)] == [
        "control-02", "control-03", "control-02", "control-03",
    ]  # fmt: skip


def test_one_file_without_its_start_says_what_it_waits_for(box: Box, server: Loopback) -> None:
    box.run_job(INSIDE)
    box.reports_to(server)
    server.refuse = taken("control-01")
    (file,) = box.spool.glob("*--main.jsonl")
    done = box.run("replay", str(file))
    assert (done.code, server.record()) == (1, {})
    assert said(done, f"{file.name} waits for the start of control-01") == 1
    assert box.run("replay", str(box.spool)).code == 0
    assert box.run("replay", str(file)).code == 0
    whole(box, server, "control-02")


def test_a_disk_that_takes_no_mark_changes_no_id(tmp_path: Path, server: Loopback) -> None:
    """A new id that no later replay would know of is not tried."""
    path = start(tmp_path, 1, "finish")
    blocked = tmp_path / f"control-01--{1:032x}.named.json"
    blocked.mkdir()
    (blocked / "full").touch()
    server.refuse = taken("control-01")
    assert replay(server, path).refused == 1
    assert server.record() == {}
    assert marked_held(tmp_path, Identity("control-01", f"{1:032x}")) is not None


def test_evidence_names_the_run_as_it_is_recorded(box: Box, server: Loopback) -> None:
    """Made offline by the code inside, posted by the replay that changed the run's id."""
    server.sheet.update(deliverables=[{"id": "out", "checks": []}])
    box.reports_to(server)
    assert box.run("check").code == 0
    box.url = None
    (box.folder / "out").mkdir()
    (box.folder / "out" / "a.txt").write_text("a")
    code = (
        "import subprocess, sys; subprocess.run([sys.executable, '-m', 'punktum', 'verify', '.', "
        "'--deliverable', 'out', *%s])"
    )
    box.run_job(code % "[]")
    box.run_job(code % "['--run', 'control-01']", "--run", "other-01")
    box.reports_to(server)
    server.refuse = taken("control-01")
    assert box.run("replay", str(box.spool)).code == 0
    named = [body["manifest"]["runs"] for _, body in server.submissions.values()]
    assert sorted(named) == [["control-01"], ["control-02"]]


def test_the_spool_of_an_attempt_is_found_whatever_its_run_is_called_now(tmp_path: Path) -> None:
    start(tmp_path, 1)
    attempt = f"{1:032x}"
    assert spool_identity(tmp_path, "control-02", attempt) == Identity("control-01", attempt)
    assert spool_identity(tmp_path, "control-02", "f" * 32) == Identity("control-02", "f" * 32)
    assert spool_identity(tmp_path / "none", "x", "**") == Identity("x", "**")
    assert recorded_run(tmp_path, "control-01", attempt) == "control-01"
    settle(tmp_path, Identity("control-01", attempt))
    assert recorded_run(tmp_path, "control-01", "") == "control-01"


# -- taken over from --------------------------------------------------------------------------


def test_whoever_was_taken_over_from_is_told_once_and_goes_on(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    plain_answer = server.answer
    server.answer = lambda batch: {**plain_answer(batch), "superseded_by": 2}  # type: ignore[method-assign]
    code = (
        "import punktum\n"
        "with punktum.run('control') as run:\n"
        "    for n in range(5): run.progress(n, 5)\n"
        "print('done')\n"
    )
    done = box.run_job(code, "--beat", "1")
    assert (done.code, done.out) == (0, "done\n")
    assert said(done, "attempt 2 of control-01 took over from this one") == 1
    assert said(done, "its events are kept as evidence of attempt 1") == 1
    whole(box, server, "control-01")
    assert server.end("control-01")["kind"] == "finish"
