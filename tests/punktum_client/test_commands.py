"""The command line: status, check, help, versions, exit codes, and the token that nobody sees."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import punktum
from punktum import instants, values
from punktum.cli import main
from punktum.naming import next_id
from punktum.settings import Settings, SettingsError, read_settings
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Loopback


def test_status_of_a_run_with_and_without_a_server(box: Box, server: Loopback) -> None:
    assert box.run_job("pass", "--run", "a-01").code == 0
    box.reports_to(server)
    server.warnings = []
    assert box.run_job("raise SystemExit(3)", "--run", "a-02").code == 3
    done = box.run("status")
    assert done.code == 0
    assert "a-01  attempt " in done.out
    assert "  written 2, acknowledged 0" in done.out
    assert "a-02  attempt 1  wrapper  failed" in done.out
    assert "  written 2, acknowledged 2" in done.out
    assert "window   until 2026-12-03T07:00:00.000Z" in done.out
    found = box.run("status", "--json").json()
    assert [(item["run"], item["acknowledged"]) for item in found["sources"]] == [
        ("a-01", 0),
        ("a-02", 2),
    ]
    assert isinstance(found["left_s"], int)
    sizes = [path.stat().st_size for path in sorted(box.spool.glob("*--wrapper.jsonl"))]
    assert sorted(item["size"] for item in found["sources"]) == sorted(sizes)
    assert {item["left_out"] for item in found["sources"]} == {0}
    assert done.out.count("  spool file ") == 2
    assert "last answer: " in done.out


def test_status_of_a_refused_run(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = lambda event: (409, {"detail": "new id needed"})
    box.run_job("pass", "--run", "a-01")
    said = box.run("status").out
    assert "  NOT RECORDING: new id needed" in said
    assert "acknowledged 1, 1 refused" in said


@pytest.mark.parametrize("live", [True, False], ids=["live", "offline"])
@pytest.mark.parametrize(
    "steps", [["pilot"], ["control", "pilot"], ["control", "control", "pilot", "other"]]
)
def test_status_tells_the_step_that_the_server_recorded(
    box: Box, server: Loopback, live: bool, steps: list[str]
) -> None:
    """The first that it took: it keeps that one, whatever is asked for later."""
    if live:
        box.reports_to(server)
    box.run_job("pass", step="contrl")
    box.reports_to(server)
    for step in steps:
        box.run("replay", str(box.spool), "--step", step)
    (start,) = [event for event in server.of("contrl-01") if event["kind"] == "start"]
    assert start["step"] == ("contrl" if live else steps[0])
    shown = None if start["step"] == "contrl" else f"step {start['step']}"
    (source,) = box.run("status", "--json").json()["sources"]
    assert source["recorded_as"] == shown
    assert box.run("status").out.count("recorded as: ") == int(shown is not None)


def test_status_of_a_file_that_the_full_disk_left_empty(box: Box) -> None:
    box.spool.mkdir(parents=True)
    (box.spool / f"a-01--{'1' * 32}--wrapper.jsonl").touch()
    assert "a-01  attempt 11111111  wrapper  nothing written" in box.run("status").out


def test_status_without_a_spool(box: Box) -> None:
    done = box.run("status", "--output", "nowhere")
    assert done.code == 2
    assert done.err.startswith("punktum: no spool at nowhere/.punktum/spool")


def test_check_when_all_is_well(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.sheet.update(steps=[{"id": "control"}], server_time=instants.now_text())
    done = box.run("check", "--step", "control")
    assert done.code == 0, done.out
    assert f"{server.url} answers in" in done.out
    assert "ok    token   taken, campaign c" in done.out
    assert '"control" is in the plan' in done.out
    assert "agrees with the server's" in done.out
    assert (box.spool / "sheet.json").exists()
    assert not list(box.spool.glob(".probe*"))


def test_check_finds_what_will_not_work(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.sheet.update(steps=[{"id": "control"}], server_time="2020-01-01T00:00:00.000Z")
    done = box.run("check", "--step", "contorl", "--json")
    assert done.code == 0, "such a run is recorded"
    found = {item["name"]: (item["state"], item["text"]) for item in done.json()["items"]}
    said = '"contorl" is not in the plan: it will be recorded as unplanned work; '
    assert found["step"] == ("warn", f'{said}did you mean "control"?')
    assert found["clock"][0] == "note"
    assert "ahead of the server's" in found["clock"][1]
    server.mode = "401"
    done = box.run("check", "--json")
    assert done.code == 1
    found = {item["name"]: (item["state"], item["text"]) for item in done.json()["items"]}
    assert found["token"] == ("fail", "told to say 401 (401)")
    assert found["server"][0] == "ok"


STEPS: list[dict[str, object]] = [
    {"id": "control", "kind": "run"}, {"id": "prepare", "kind": "human"},
    {"id": "go", "kind": "decision_point"}, {"id": "old"},
]  # fmt: skip
FOR_STEPS: list[tuple[str, list[dict[str, object]], str, str]] = [
    ("control", STEPS, "ok", '"control" is in the plan'),
    ("old", STEPS, "ok", '"old" is in the plan'),
    (
        "prepare",
        STEPS,
        "warn",
        '"prepare" is a person\'s work; a run of it is recorded all the same',
    ),
    ("go", STEPS, "warn", '"go" is a person\'s work; a run of it is recorded all the same'),
    ("contrl", STEPS, "warn", 'it will be recorded as unplanned work; did you mean "control"?'),
    ("zzz", STEPS, "warn", "recorded as unplanned work; there are control, prepare, go, old"),
    ("control", [], "note", '"control" cannot be looked up: no plan yet'),
]


@pytest.mark.parametrize(("step", "steps", "state", "text"), FOR_STEPS)
def test_check_says_of_a_step_what_a_run_of_it_will_be(
    box: Box, server: Loopback, step: str, steps: list[dict[str, object]], state: str, text: str
) -> None:
    """Of none that the server takes it says that it fails, with and without ``--strict``."""
    box.reports_to(server)
    server.sheet.update(steps=steps)
    done = box.run("check", "--step", step, "--json")
    found = {item["name"]: (item["state"], item["text"]) for item in done.json()["items"]}
    assert (done.code, found["step"][0]) == (0, state)
    assert found["step"][1].endswith(text)
    assert f"{state:<4}  step" in box.run("check", "--step", step).out
    assert box.run_job("pass", "--strict", step=step).code == 0
    assert server.end(f"{step}-01")["kind"] == "finish"


@pytest.mark.parametrize("sheet", [{}, {"format": "punktum-sheet/9"}, {"status": "ok"}])
def test_check_is_not_content_with_any_answer(
    box: Box, server: Loopback, sheet: dict[str, object]
) -> None:
    box.reports_to(server)
    server.sheet = sheet
    done = box.run("check", "--json")
    found = {item["name"]: (item["state"], item["text"]) for item in done.json()["items"]}
    assert (done.code, found["server"][0], found["token"][0]) == (1, "fail", "note")
    assert "not as a Punktum does" in found["server"][1]
    assert not (box.spool / "sheet.json").exists()


def test_check_without_a_server(box: Box, server: Loopback) -> None:
    assert box.run("check").code == 0
    server.close()
    box.reports_to(server)
    done = box.run("check")
    assert done.code == 5
    assert "Connection refused" in done.out


def test_check_warns_of_a_token_file_others_can_read(box: Box, server: Loopback) -> None:
    token = box.folder / "token"
    token.write_text(TOKEN)
    token.chmod(0o644)
    words = ("check", "--url", server.url, "--token-file", "token")
    assert "others can read token: chmod 600 token" in box.run(*words).out
    token.chmod(0o600)
    assert "others can read" not in box.run(*words).out


def test_check_says_when_the_disk_takes_nothing(box: Box) -> None:
    box.environment = {"PUNKTUM_SPOOL": "/dev/null/spool"}
    done = box.run("check")
    assert done.code == 1
    assert "fail  disk" in done.out


def test_replay_needs_a_server_and_a_spool(box: Box, server: Loopback) -> None:
    assert box.run("replay", "spool").code == 2
    box.reports_to(server)
    assert box.run("replay", "spool").code == 2
    box.run_job("pass")
    server.close()
    done = box.run("replay", str(box.spool))
    assert done.code == 5
    assert "nothing is lost, try again" in done.err


@pytest.mark.parametrize("name", ["empty", "notes.txt", "/dev/null"])
def test_replay_of_what_is_no_spool_is_a_usage_error(box: Box, server: Loopback, name: str) -> None:
    box.reports_to(server)
    (box.folder / "empty").mkdir()
    (box.folder / "notes.txt").write_text("hello\n")
    done = box.run("replay", name)
    assert (done.code, server.paths) == (2, [])
    assert f"{name} holds no events" in done.err


def test_replay_finds_the_spool_of_an_output_folder(box: Box, server: Loopback) -> None:
    box.run_job("pass", "--run", "a-01", "--output", "out")
    box.reports_to(server)
    assert box.run("replay", "out").code == 0
    assert server.kinds("a-01") == ["start", "finish"]


def test_a_spool_is_not_sent_to_another_campaign(box: Box, server: Loopback) -> None:
    box.run_job("pass", "--run", "a-01")
    box.reports_to(server)
    assert box.run("check").code == 0
    server.sheet = {**server.sheet, "campaign": {"id": "other"}}
    for words in ([str(box.spool)], [str(next(box.spool.glob("a-01--*.jsonl")))]):
        done = box.run("replay", *words)
        assert (done.code, server.record()) == (1, {})
        assert "is of the campaign c, the token of other" in done.err
    (box.spool / "sheet.json").unlink()
    assert box.run("replay", str(box.spool)).code == 0
    assert server.kinds("a-01") == ["start", "finish"]


def test_the_token_of_another_campaign_is_told_everywhere(box: Box, server: Loopback) -> None:
    """Else what a folder holds of one campaign would be sent to another."""
    box.reports_to(server)
    assert box.run_job("pass", "--run", "a-01").code == 0
    kept = (box.spool / "sheet.json").read_bytes()
    server.sheet = {**server.sheet, "campaign": {"id": "other"}, "deliverables": [{"id": "d"}]}
    differ = f"{box.spool} is of the campaign c, the token of other"
    done = box.run_job("pass", "--run", "a-02")
    assert (done.code, done.err.count(f"punktum: {differ}, where this run is recorded")) == (0, 1)
    relative = ".punktum/spool is of the campaign c, the token of other"
    checked = box.run("check")
    assert (checked.code, f"fail  spool   {relative}: take another" in checked.out) == (1, True)
    verified = box.run("verify", ".", "--all")
    assert (verified.code, f"punktum: {relative}: take the other token" in verified.err) == (
        1,
        True,
    )
    assert server.submissions == {}
    replayed = box.run("replay", ".")
    assert (replayed.code, (box.spool / "sheet.json").read_bytes()) == (1, kept)
    (way,) = re.findall(r"if this is what you want: (.*)", replayed.err)
    assert box.typed(way).code == 0
    assert box.run("replay", ".").code == 0


def test_a_folder_that_was_only_checked_may_be_of_any_campaign(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    assert box.run("check").code == 0
    server.sheet = {**server.sheet, "campaign": {"id": "other"}}
    assert "ok    token   taken, campaign other" in box.run("check").out
    assert "campaign other" in box.run("status").out


@pytest.mark.parametrize("mode", ["401", "403"])
def test_a_token_that_is_not_taken_is_no_server_away(box: Box, server: Loopback, mode: str) -> None:
    """Who tries again while the exit code is 5 would do so for ever."""
    box.run_job("pass")
    box.reports_to(server)
    server.sheet.update(deliverables=[{"id": "d", "checks": [{"kind": "non_empty"}]}])
    assert box.run("check").code == 0
    server.mode = mode
    assert box.run("replay", str(box.spool)).code == 1
    assert box.run("verify", ".", "--all").code == 1
    server.mode = "well"
    assert box.run("replay", str(box.spool)).code == 0


def test_what_a_server_says_cannot_write_to_the_terminal(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.warnings = ["\x1b[2Jgone"]
    server.stops["a-01"] = {"rule": "r\x1b[1m", "text": "\x1b]0;title\x07"}
    done = box.run_job("import time; time.sleep(9)", "--run", "a-01")
    assert "stop asked for by rule r\\x1b[1m: \\x1b]0;title\\x07" in done.err
    assert not set("\x1b\x07") & set(done.err + box.run("status").out)


def test_replay_counts(box: Box, server: Loopback) -> None:
    box.run_job("pass")
    box.reports_to(server)
    done = box.run("replay", str(box.spool))
    assert (done.code, done.out) == (0, "1 attempt, 2 events sent, 0 refused; 0 submissions sent\n")
    assert box.run("replay", str(box.spool), "--json").json()["events"] == 2
    server.refuse = lambda event: (422, {"detail": "no"})
    done = box.run("replay", str(box.spool))
    assert done.code == 1
    assert "punktum: refused, kept in the spool: start 1: no" in done.err


@pytest.mark.parametrize("act", ["", "run", "verify", "replay", "status", "check"])
def test_help_has_examples(act: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([*([act] if act else []), "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert ("examples:" in said) or not act
    assert "\x1b" not in said


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"punktum {punktum.__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["run", "--step", "control"],
        ["run", "--step", "control", "--"],
        ["run", "--", "true"],
        ["run", "--step", "control", "--param", "rank", "--", "true"],
        ["run", "--step", "control", "--beat", "soon", "--", "true"],
        ["run", "--step", "control", "--beat", "0", "--", "true"],
        ["run", "--step", "control", "--run", "a b", "--", "true"],
        ["status", "--", "true"],
        ["replay", "spool", "--run", "a b"],
        ["replay", "spool", "--run", "../a"],
        ["dance"],
    ],
)
def test_usage_errors_leave_with_2(
    box: Box, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main(words)
    except SystemExit as left:
        code = left.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err


def test_the_token_is_never_shown(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    for mode in ("well", "401", "garbage"):
        server.mode = mode
        for words in (
            ("check",),
            ("status",),
            ("replay", str(box.spool)),
            ("verify", ".", "--all"),
        ):
            done = box.run(*words)
            assert TOKEN not in done.out + done.err
        assert TOKEN not in box.run_job("pass").err
    assert TOKEN not in repr(Settings("http://127.0.0.1:1", TOKEN))
    for path in box.folder.rglob("*"):
        assert not path.is_file() or TOKEN not in path.read_text(errors="replace")


def test_settings_come_from_arguments_then_from_the_environment(tmp_path: Path) -> None:
    for name, text in (("one", "pk_1\n"), ("two", "pk_2")):
        (tmp_path / name).write_text(text)
    env = {"PUNKTUM_URL": "http://127.0.0.1:1/", "PUNKTUM_TOKEN_FILE": str(tmp_path / "one")}
    assert read_settings(environment=env).token == "pk_1"
    assert read_settings(environment=env).url == "http://127.0.0.1:1"
    asked = read_settings("https://h/p/", str(tmp_path / "two"), environment=env)
    assert (asked.url, asked.token) == ("https://h/p", "pk_2")
    assert read_settings(environment={**env, "PUNKTUM_TOKEN": "pk_3"}).token == "pk_3"
    assert read_settings(environment={}) == Settings()


@pytest.mark.parametrize(
    "url",
    [
        *("h:1", "http://", "ftp://h", "http://h?x=1", "http://u:p@h", "http://h:x"),
        *("http://h:8000/campaigns/digits", "http://h/campaigns", "http://h/api/v1"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings(url, environment={})
    assert "u:p" not in str(refused.value)


@pytest.mark.parametrize(
    ("run", "following"),
    [("a-01", "a-02"), ("a-9", "a-10"), ("a-99", "a-100"), ("trial", "trial-02"), ("7", "8")],
)
def test_the_next_id(run: str, following: str) -> None:
    assert next_id(run) == following


@pytest.mark.parametrize(
    ("text", "epoch_s"),
    [
        ("1970-01-01T00:00:10.500Z", 10),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1970-01-01T00:00:00-0130", 5400),
        ("tomorrow", None),
    ],
)
def test_instants_are_read(text: str, epoch_s: float | None) -> None:
    assert instants.epoch_s(text) == epoch_s


def test_instants_and_spans_are_written() -> None:
    assert instants.instant_text(0.1239) == "1970-01-01T00:00:00.123Z"
    assert [values.span_text(s) for s in (0, 59, -2577, 108_000, 90_000)] == [
        "0 s",
        "59 s",
        "42 min 57 s",
        "1 d 6 h",
        "1 d 1 h",
    ]


def test_no_color_is_ever_written(box: Box) -> None:
    box.environment = {"NO_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b" not in (done := box.run("check")).out + done.err


def test_output_into_a_closed_pipe_is_no_traceback(box: Box) -> None:
    box.run_job("pass")
    reader, writer = os.pipe()
    os.close(reader)
    process = box.punktum("status", stdout=writer)
    os.close(writer)
    err = process.communicate(timeout=60)[1].decode()
    assert "Traceback" not in err


def test_json_is_the_only_thing_on_stdout(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    box.run_job("pass")
    for words in (("status",), ("check",), ("replay", str(box.spool))):
        json.loads(box.run(*words, "--json").out)
