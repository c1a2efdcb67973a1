"""A spool that a person hands in: recorded as a replay would have recorded it, once."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Client, Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.runs import queries
from app.runs.pages.client_file import the_file
from app.runs.rules import uploading
from app.runs.rules.uploading import Handed, NotTaken, read_spool
from app.settings import Settings
from app.web import walls
from tests.conftest import NOW
from tests.pages import fields, read
from tests.runs.boxes import CAMPAIGN, TRAIN, Box, Served, serving
from tests.runs.campaigns import FIRST, ID, SECOND, closed, event, opened, recorded, run

CONNECT = f"/campaigns/{ID}/connect"
SPOOL = f"{CONNECT}/spool"
OTHER_SHA = "e" * 64
STORY = [
    event(1, "start", expect_next_s=60),
    event(2, progress=10, total=100, metrics={"loss": 0.9}),
    event(3, metrics={"loss": "nan"}),
    event(4, "fail", exit_code=1),
]


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Served]]:
    """Two servers with the same campaign."""
    with (
        serving(tmp_path_factory.mktemp("one")) as one,
        serving(tmp_path_factory.mktemp("two")) as two,
    ):
        yield one, two


def lines(*events: dict[str, Any]) -> bytes:
    """A file of a spool."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)


def name_of(run_id: str = "a-01", attempt: str = FIRST, source: str = "main") -> str:
    return f"{run_id}--{attempt}--{source}.jsonl"


def tarred(files: dict[str, bytes], folder: str = "out/.punktum/spool/") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(folder + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def zipped(files: dict[str, bytes], folder: str = "spool/") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(folder + name, content)
    return packed.getvalue()


def upload(
    client: TestClient | Client,
    files: dict[str, bytes],
    page: str = CONNECT,
    **typed: str,
) -> Response:
    """Choose files on the page and send its form."""
    shown = client.get(page)
    assert shown.status_code == 200, shown.text
    form = HTMLParser(shown.text).css_first("form#upload")
    assert form is not None
    assert form.attributes["enctype"] == "multipart/form-data"
    data = {**fields(form), **typed}
    sent = [("files", (name, content)) for name, content in files.items()]
    answer: Response = client.post(form.attributes["action"] or "", data=data, files=sent)
    return answer


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def given(answer: Response) -> list[list[str]]:
    """The rows about runs: run, recorded now, there already, refused, not sent, why."""
    assert answer.status_code == 200, answer.text
    return [
        [words(cell) for cell in row.css("th, td")] for row in read(answer).css("#given tbody tr")
    ]


def error(answer: Response, field: str = "files") -> str:
    assert answer.status_code == 422, answer.status_code
    return words(read(answer).css_first(f"#f-{field}-error"))


# -- what is recorded --------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [None, tarred, zipped])
def test_a_spool_is_recorded_once_however_it_comes(
    browser: TestClient, sqlite: Database, pack: Any
) -> None:
    opened(sqlite)
    kept = {
        name_of(source="wrapper"): lines(
            event(1, "start", source="wrapper"), event(2, "fail", source="wrapper", exit_code=1)
        ),
        name_of(): lines(*[event(n, progress=n, total=9) for n in range(1, 6)]),
        name_of("b-01", SECOND): lines(
            *[{**one, "run": "b-01", "attempt_id": SECOND} for one in STORY]
        ),
        "heads.jsonl": b'{"number": 1, "sha256": "0"}\n',
        f"a-01--{FIRST}--main.refused.jsonl": b'{"seq": 1, "kind": "beat", "status": 409}\n',
        f"a-01--{FIRST}.stop.json": b"{}",
        f"a-01--{FIRST}--main.state.json": b"{}",
    }
    files = kept if pack is None else {"spool-of-box": pack(kept)}
    answer = upload(browser, files)
    nothing = "– nothing was refused"
    assert given(answer) == [
        ["a-01", "7", "0", "0", "0", nothing],
        ["b-01", "4", "0", "0", "0", nothing],
    ]
    assert words(read(answer).css_first("#given .notice")) == "11 new events are recorded."
    links = [link.attributes["href"] for link in read(answer).css("#given tbody a")]
    assert links == [f"/campaigns/{ID}/runs/a-01", f"/campaigns/{ID}/runs/b-01"]
    before = run(sqlite), run(sqlite, "b-01")
    assert [one.status for one in before] == ["failed", "stopped"]
    again = upload(browser, files, SPOOL)
    assert [row[:5] for row in given(again)] == [
        ["a-01", "0", "7", "0", "0"], ["b-01", "0", "4", "0", "0"]
    ]  # fmt: skip
    assert "there already" in words(read(again).css_first("#given .notice"))
    assert (run(sqlite), run(sqlite, "b-01")) == before


def test_what_a_job_sent_of_it_is_there_already(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    recorded(sqlite, *STORY[:2])
    assert [row[:5] for row in given(upload(browser, {name_of(): lines(*STORY)}))] == [
        ["a-01", "2", "2", "0", "0"]
    ]


def test_evidence_of_deliverables_is_left_to_a_replay_and_said(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    packed = zipped({name_of(): lines(*STORY), f"submissions/{'5' * 32}.json": b"{}"})
    answer = upload(browser, {"spool.zip": packed})
    assert given(answer)[0][:2] == ["a-01", "4"]
    said = [words(node) for node in read(answer).css("#given > p.note")]
    assert [one for one in said if "evidence of 1 deliverable" in one]


def test_a_renamed_file_says_inside_whose_it_is(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    answer = upload(browser, {"C:\\spools\\control (1).jsonl": lines(*STORY)})
    assert given(answer)[0][:2] == ["a-01", "4"]


def test_an_older_copy_beside_a_newer_one_is_no_harm(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    packed = {"old.zip": zipped({name_of(): lines(*STORY[:2])}), name_of(): lines(*STORY)}
    assert given(upload(browser, packed))[0][:5] == ["a-01", "4", "0", "0", "0"]


def test_the_facts_are_the_jobs_and_the_entry_says_who_handed_them_in(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    upload(browser, {name_of(): lines(event(1, "start"), event(2, "stop", reason_code="operator"))})
    with sqlite.read() as session:
        (line,) = queries.stop_records(session, ID)
    assert (line.actor_kind, line.actor_name) == ("job", "spool, handed in by local")


def test_refused_events_say_why_and_the_others_are_kept(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    wrong = event(2, progress=-1)
    torn = b'{"run": "a-01", "seq": 9, "ki\n'
    content = lines(STORY[0], wrong, event(3, progress=1)) + torn
    answer = upload(browser, {name_of(): content})
    (row,) = given(answer)
    assert row[:5] == ["a-01", "2", "0", "1", "0"]
    assert "progress" in row[5]
    assert row[5].endswith("1 line is no event and was passed over.")
    assert read(answer).css_first("#given .n-warn") is not None


def test_what_waits_behind_a_refused_start_is_counted_and_can_be_recorded_otherwise(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    other = {"attempt_id": SECOND, "config_sha256": OTHER_SHA}
    recorded(sqlite, {**STORY[0], **other}, {**event(2, "finish"), "attempt_id": SECOND})
    spool = {name_of(): lines(*STORY)}
    (row,) = given(upload(browser, spool))
    assert row[:5] == ["a-01", "0", "0", "1", "3"]
    assert "a-02" in row[5]
    for _ in range(2):
        answer = upload(browser, spool, as_run="a-02")
        assert given(answer)[0][0].startswith("a-02")
    assert given(answer)[0][1:5] == ["0", "4", "0", "0"]
    assert run(sqlite, "a-02").status == "stopped"


def test_a_proposed_id_that_is_taken_becomes_the_next_one_and_stays_it(
    browser: TestClient, sqlite: Database
) -> None:
    """Though the marks that a replay leaves beside the lines never reach the box."""
    opened(sqlite)
    other = {"attempt_id": SECOND, "config_sha256": OTHER_SHA}
    recorded(sqlite, {**STORY[0], **other}, {**event(2, "finish"), "attempt_id": SECOND})
    spool = {
        name_of(): lines(*STORY),
        f"a-01--{FIRST}.proposed.json": b'{"source": "main"}',
    }
    (row,) = given(upload(browser, {"spool.tar.gz": tarred(spool)}))
    assert row == ["a-02 a-01 on the box; that id was taken", "4", "0", "0", "0",
                   "– nothing was refused"]  # fmt: skip
    (again,) = given(upload(browser, spool))
    assert again[0].startswith("a-02")
    assert again[1:5] == ["0", "4", "0", "0"]
    with sqlite.read() as session:
        found = queries.page_of_runs(session, ID, NOW, after="", limit=9)
    assert sorted(one.id for one in found.items) == ["a-01", "a-02"]


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("part", [slice(0, 2), slice(2, 4), slice(0, 4)])
def test_lines_alone_of_an_attempt_recorded_under_another_id_are_there_already(
    browser: TestClient, sqlite: Database, part: slice, marked: bool
) -> None:
    """Also a part of them, which may be without the start; what is new of it goes there too."""
    opened(sqlite)
    other = {"attempt_id": SECOND, "config_sha256": OTHER_SHA}
    recorded(sqlite, {**STORY[0], **other}, {**event(2, "finish"), "attempt_id": SECOND})
    proposed = {f"a-01--{FIRST}.proposed.json": b'{"source": "main"}'}
    upload(browser, {name_of(): lines(*STORY), **proposed})
    before = run(sqlite), run(sqlite, "a-02")
    alone = {name_of(): lines(*STORY[part]), **(proposed if marked else {})}
    (row,) = given(upload(browser, alone))
    n = len(STORY[part])
    assert row == ["a-02 a-01 on the box; that id was taken", "0", str(n), "0", "0",
                   "– nothing was refused"]  # fmt: skip
    assert (run(sqlite), run(sqlite, "a-02")) == before


def test_a_name_that_the_box_learned_counts(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    spool = {name_of(): lines(*STORY), f"a-01--{FIRST}.named.json": b'{"run": "a-07"}'}
    (row,) = given(upload(browser, spool))
    assert row[0].startswith("a-07 ")
    assert run(sqlite, "a-07").status == "stopped"


def test_what_comes_after_the_close_is_kept_as_late_evidence_once(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    recorded(sqlite, *STORY[:2])
    closed(sqlite)
    page = read(browser.get(f"/campaigns/{ID}/runs"))
    hrefs = [link.attributes["href"] for link in page.css("#runs .actions a")]
    assert hrefs == [SPOOL]
    answer = upload(browser, {name_of(): lines(*STORY)}, SPOOL)
    assert [row[:5] for row in given(answer)] == [["a-01", "2", "2", "0", "0"]]
    assert "late" in words(read(answer).css_first("#given"))
    before = run(sqlite)
    assert before.status == "running"
    again = upload(browser, {name_of(): lines(*STORY)}, SPOOL)
    assert [row[:5] for row in given(again)] == [["a-01", "0", "4", "0", "0"]]
    assert run(sqlite) == before


# -- what is not taken -------------------------------------------------------------------------


def test_no_file_is_an_error_beside_the_field_and_what_was_typed_stays(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    answer = upload(browser, {}, as_run="a-09", as_step="control")
    assert error(answer).startswith("Choose the files of a spool")
    form = read(answer).css_first("form#upload")
    assert form is not None
    kept = fields(form)
    assert (kept["as_run"], kept["as_step"]) == ("a-09", "control")
    wrong = upload(browser, {name_of(): lines(*STORY)}, as_run="no id")
    assert "Letters, digits" in error(wrong, "as_run")
    assert "Choose the files once more" in words(read(wrong).css_first("form#upload"))


NO_SPOOLS = {
    "model.bin": (b"\x00\x01", "not a file of a spool"),
    "notes.jsonl": (b"hello\n", "holds no events"),
    "other.jsonl": (b'{"seq": 1, "kind": "beat"}\n', "which run it is of"),
    "empty.zip": (zipped({}), "no events in it"),
    "photos.tar.gz": (tarred({"a.jpg": b"x"}), "no events in it"),
    "cut.tar.gz": (tarred({name_of(): lines(*STORY) * 99})[:-200], "archive is broken"),
    "no.tar.gz": (gzip.compress(b"not a tar" * 99), "archive is broken"),
    "cut.zip": (zipped({name_of(): lines(*STORY)})[:-30], "archive is broken"),
    "foreign.zip": (
        zipped({name_of(): lines(*STORY), "sheet.json": b'{"campaign": {"id": "b"}}'}),
        "of the campaign b",
    ),
}


@pytest.mark.parametrize("name", NO_SPOOLS)
def test_what_is_no_spool_is_refused_with_what_would_be_right(
    browser: TestClient, sqlite: Database, name: str
) -> None:
    opened(sqlite)
    content, said = NO_SPOOLS[name]
    assert said in error(upload(browser, {name: content}))
    with sqlite.read() as session:
        assert queries.page_of_runs(session, ID, NOW, after="", limit=9).items == ()


def test_files_of_several_runs_are_not_renamed_at_once(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    both = {
        name_of(): lines(*STORY),
        name_of("b-01", SECOND): lines(
            *[{**one, "run": "b-01", "attempt_id": SECOND} for one in STORY]
        ),
    }
    assert "More than one run" in error(upload(browser, both, as_run="c-01"), "as_run")


def _bomb(size: int) -> bytes:
    """A tar whose one file unpacks to so many bytes, packed small."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=9) as archive:
        member = tarfile.TarInfo(name_of())
        member.size = size
        archive.addfile(member, io.BytesIO(bytes(size)))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("a.tar.gz", "unpacks to more than the 1 MiB that are taken at once. Pack the spool"),
        ("a.zip", "unpacks to more than the 1 MiB that are taken at once. Pack the spool"),
        ("beside.tar.gz", "unpacks to more than the 1 MiB that are taken at once. Pack the spool"),
        ("beside.zip", "unpacks to more than the 1 MiB that are taken at once. Pack the spool"),
        ("renamed.zip", "unpacks to more than the 1 MiB that are taken at once. Pack the spool"),
        ("many.zip", "holds more than the 100 files that are looked through. Pack the spool"),
        ("many.tar.gz", "holds more than the 100 files that are looked through. Pack the spool"),
    ],
)
def test_an_archive_that_is_too_large_is_refused_with_the_limit_and_the_way(
    monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    monkeypatch.setattr(uploading, "MOST_UNPACKED", 1 << 20)
    monkeypatch.setattr(uploading, "MOST_FILES", 100)
    zeros = bytes(3 << 20)
    packed = {
        "a.tar.gz": _bomb(3 << 20),
        "a.zip": zipped({name_of(): zeros}),
        "beside.tar.gz": tarred({"unwanted.bin": zeros}),
        "beside.zip": zipped({"unwanted.bin": zeros}),
        "renamed.zip": zipped({"mine.jsonl": zeros}),
        "many.zip": zipped({f"{number}.txt": b"" for number in range(101)}),
        "many.tar.gz": tarred({f"{number}.txt": b"" for number in range(101)}),
    }[name]
    with pytest.raises(NotTaken, match=f"{name}: it {says}"):
        read_spool([Handed(name, packed)])


def test_what_lies_beside_a_spool_in_a_zip_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uploading, "MOST_UNPACKED", 1 << 20)
    packed = zipped({"model.bin": bytes(3 << 20), name_of(): lines(*STORY)})
    assert [one.name for one in read_spool([Handed("out.zip", packed)]).events] == [name_of()]


def test_together_archives_may_not_unpack_to_too_much_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(uploading, "MOST_UNPACKED", 1 << 20)
    one = lines(*[event(n) for n in range(1, 4000)])
    assert len(one) < 1 << 20
    with pytest.raises(NotTaken, match="unpacks to more than"):
        read_spool(
            [Handed("a.zip", zipped({name_of(): one})), Handed("b.zip", zipped({name_of(): one}))]
        )


def test_nothing_is_written_to_where_an_archive_says(
    browser: TestClient, sqlite: Database, tmp_path: Path
) -> None:
    opened(sqlite)
    target = tmp_path / "elsewhere"
    packed = tarred({name_of(): lines(*STORY)}, folder=f"{target}/../../elsewhere/")
    assert given(upload(browser, {"spool.tar.gz": packed}))[0][1] == "4"
    assert not target.exists()
    links = io.BytesIO()
    with tarfile.open(fileobj=links, mode="w:gz") as archive:
        member = tarfile.TarInfo(name_of())
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    assert "no events in it" in error(upload(browser, {"links.tar.gz": links.getvalue()}))


def test_only_this_address_takes_more_than_other_posts(
    browser: TestClient, sqlite: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    beats = [event(n, note="x" * 400) for n in range(2, 3000)]
    content = lines(STORY[0], *beats)
    assert len(content) > settings.max_body_bytes
    assert given(upload(browser, {name_of(): content}))[0][:3] == ["a-01", "2,999", "0"]
    elsewhere = browser.post(f"/campaigns/{ID}/connect/tokens", content=content)
    assert elsewhere.status_code == 413
    assert browser.post(f"{SPOOL}/x", content=content).status_code == 413
    monkeypatch.setattr(walls, "MOST_OF_A_SPOOL", len(content))
    assert browser.post(SPOOL, content=content + bytes(9)).status_code == 413


def test_the_form_of_another_page_is_refused(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    answer = browser.post(SPOOL, files=[("files", (name_of(), lines(*STORY)))])
    assert answer.status_code == 403
    assert browser.get("/campaigns/none/connect/spool").status_code == 404


# -- as a replay would have recorded it ---------------------------------------------------------

OURS = ("received_at", "due_at", "stall_due_at")
"""What only the server's clock says."""


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(one) for name, one in value.items() if name not in OURS}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def test_a_person_and_a_job_make_the_identical_record(
    servers: tuple[Served, Served], tmp_path: Path
) -> None:
    by_job, by_person = servers
    box = Box(tmp_path / "box")
    (box.home / "punktum.py").write_bytes(the_file().content)
    (box.home / "train.py").write_text(TRAIN)
    wrapper = ("python3", "punktum.py", "run", "--step", "control")
    assert box.run(*wrapper, "--", "python3", "train.py").returncode == 0
    assert box.run(*wrapper, "--", "python3", "train.py", "--lr", "2").returncode == 0
    assert box.run(*wrapper, "--", "python3", "-c", "raise SystemExit(3)").returncode == 3
    packed = tmp_path / "spool.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(box.home / ".punktum", ".punktum")
    box.variables = {"PUNKTUM_URL": by_job.url, "PUNKTUM_TOKEN": by_job.token}
    done = box.run("python3", "punktum.py", "replay", ".")
    assert done.returncode == 0, done.stderr
    connect = f"/campaigns/{CAMPAIGN}/connect"
    with Client(base_url=by_person.url, headers={"Accept-Language": "en"}) as desk:
        rows = given(upload(desk, {"spool.tar.gz": packed.read_bytes()}, connect))
        assert [row[2:5] for row in rows] == [["0", "0", "0"]] * 3
        assert timeless(by_person.runs()) == timeless(by_job.runs())
        assert [one["status"] for one in by_person.runs()] == ["completed", "completed", "failed"]
        before = by_person.runs()
        again = given(upload(desk, {"spool.tar.gz": packed.read_bytes()}, connect))
        assert [(row[1], row[2]) for row in again] == [("0", row[1]) for row in rows]
    box.variables = {"PUNKTUM_URL": by_person.url, "PUNKTUM_TOKEN": by_person.token}
    assert box.run("python3", "punktum.py", "replay", ".").returncode == 0
    assert by_person.runs() == before
