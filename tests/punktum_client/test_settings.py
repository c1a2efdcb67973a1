"""A token or an address that cannot be used: the one thing that is wrong is said, and nothing else
is; the training starts all the same."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest

from punktum.settings import SettingsError, open_to_others, read_settings
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Loopback

URL = "http://127.0.0.1:9"


def _content(raw: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(raw)
        path.chmod(0o600)

    return make


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


BAD: list[tuple[str, Callable[[Path], object], str]] = [
    ("missing", lambda path: None, "is not there; make it with: (umask 077; cat > "),
    ("dangling", lambda path: path.symlink_to("gone"), "is not there; make it with: "),
    ("folder", lambda path: path.mkdir(), "is a folder; name the file with the job token"),
    ("loop", _loop, "cannot be read: Too many levels of symbolic links"),
    ("empty", _content(b""), "is empty; it must hold the job token alone"),
    ("blank", _content(b" \r\n\n"), "is empty; it must hold the job token alone"),
    ("mark", _content(codecs.BOM_UTF8), "is empty; it must hold the job token alone"),
    ("two", _content(b"pk_1 pk_2"), "holds several words; it must hold the job token alone"),
    ("lines", _content(b"# mine\npk_1\n"), "holds several words; it must hold the job token"),
    ("letters", _content("pk_ü".encode()), "holds what is no token; it must hold the job token"),
    ("binary", _content(bytes(range(256))), "holds what is no token; it must hold the job token"),
    ("large", _content(b"x" * 5000), "holds what is no token; it must hold the job token alone"),
    ("long", _content(b"x" * 513), "holds what is no token; it must hold the job token alone"),
]
GOOD = [
    TOKEN.encode(),
    f"{TOKEN}\n".encode(),
    f"  {TOKEN}\r\n\r\n".encode(),
    codecs.BOM_UTF8 + f"{TOKEN}\r\n".encode(),
    codecs.BOM_UTF16_LE + f"{TOKEN}\r\n".encode("utf-16-le"),
    codecs.BOM_UTF16_BE + f"{TOKEN}\n".encode("utf-16-be"),
]


@pytest.mark.parametrize(("name", "make", "says"), BAD, ids=[name for name, _, _ in BAD])
@pytest.mark.parametrize("way", ["wrapper", "python"])
def test_a_bad_token_file_is_the_one_thing_that_is_said(
    box: Box, server: Loopback, name: str, make: Callable[[Path], object], says: str, way: str
) -> None:
    make(box.folder / name)
    box.environment = {"PUNKTUM_URL": server.url, "PUNKTUM_TOKEN_FILE": name}
    code = "import punktum\nwith punktum.run('control', params={}):\n    print('trained')\n"
    done = box.run_job(code) if way == "wrapper" else box.python_code(code)
    assert (done.code, done.out) == (0, "trained\n")
    first, second, *rest = done.err.splitlines()
    assert first.startswith(f"punktum: NOT RECORDING: token file {name} {says}")
    assert second.startswith("punktum: Training ")
    assert ": events of control-01 are kept; send them later with: " in second
    assert "PUNKTUM_URL" not in done.err
    assert rest == (["punktum: control-01 completed"] if way == "wrapper" else [])
    assert server.paths == []


@pytest.mark.parametrize(("name", "make", "says"), BAD, ids=[name for name, _, _ in BAD])
def test_the_check_finds_a_bad_token_file_and_looks_at_the_rest(
    box: Box, server: Loopback, name: str, make: Callable[[Path], object], says: str
) -> None:
    make(box.folder / name)
    box.environment = {"PUNKTUM_URL": server.url, "PUNKTUM_TOKEN_FILE": name}
    done = box.run("check", "--json")
    assert (done.code, done.err) == (1, "")
    found = {item["name"]: (item["state"], item["text"]) for item in done.json()["items"]}
    state, text = found["token"]
    assert state == "fail"
    assert text.startswith(f"token file {name} {says}")
    assert [one for one, (state, _) in found.items() if state == "fail"] == ["token"]
    assert found["disk"][0] == "ok"


@pytest.mark.parametrize("raw", GOOD)
def test_what_editors_put_around_a_token_is_no_part_of_it(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(raw)
    assert read_settings(URL, str(file), environment={}).token == TOKEN


def test_a_file_that_may_not_be_read(box: Box) -> None:
    """Root may read every file, so it becomes somebody else first."""
    file = box.folder / "token"
    file.write_text(TOKEN)
    file.chmod(0)
    done = box.python_code(
        "import os\n"
        "from punktum.settings import SettingsError, read_settings\n"
        "if os.geteuid() == 0:\n"
        "    os.setuid(65534)\n"
        "try:\n"
        f"    read_settings({URL!r}, 'token', environment={{}})\n"
        "except SettingsError as error:\n"
        "    print(error)\n"
    )
    assert done.out == "token file token may not be read by you; as its owner: chmod 600 token\n"


def test_a_home_is_found_and_a_path_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SettingsError, match=r"token file ~/my token is not there; .*/my token'\)"):
        read_settings(URL, "~/my token", environment={})
    (tmp_path / "my token").write_text(TOKEN)
    (tmp_path / "my token").chmod(0o644)
    asked = read_settings(URL, "~/my token", environment={})
    assert (asked.token, asked.token_file) == (TOKEN, str(tmp_path / "my token"))
    assert open_to_others("~/my token") == (
        f"others can read ~/my token: chmod 600 '{tmp_path / 'my token'}'"
    )


@pytest.mark.parametrize(("token", "what"), [(" ", "is empty"), ("a b", "holds several words")])
def test_the_variable_is_named_and_not_shown(token: str, what: str) -> None:
    with pytest.raises(SettingsError, match=f"PUNKTUM_TOKEN {what}") as refused:
        read_settings(environment={"PUNKTUM_URL": URL, "PUNKTUM_TOKEN": token})
    assert (refused.value.about, "a b" in str(refused.value)) == ("token", False)


def test_without_an_address_a_token_is_not_looked_at(box: Box) -> None:
    box.environment = {"PUNKTUM_TOKEN_FILE": "gone"}
    done = box.run_job("pass")
    assert done.err.splitlines()[0].startswith("punktum: no PUNKTUM_URL: events of control-01")
    assert "token" not in done.err


def test_a_file_that_others_can_read_is_said_once_and_taken(box: Box, server: Loopback) -> None:
    file = box.folder / "token"
    file.write_text(TOKEN)
    file.chmod(0o640)
    box.environment = {"PUNKTUM_URL": server.url, "PUNKTUM_TOKEN_FILE": "token"}
    code = "import punktum\nwith punktum.run('control') as run:\n    run.progress(1)\n"
    done = box.run_job(code)
    assert done.err.count("others can read token: chmod 600 token") == 1
    assert server.kinds("control-01")[-1] == "finish"


def test_a_wrong_address_is_said_once_too(box: Box) -> None:
    box.environment = {"PUNKTUM_URL": "nonsense"}
    code = "import punktum\nwith punktum.run('control') as run:\n    run.progress(1)\n"
    done = box.run_job(code)
    assert done.err.count("the address 'nonsense' is not one; use http://HOST:PORT") == 1
    assert "PUNKTUM_URL" not in done.err
