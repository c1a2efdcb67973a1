"""What makes two runs the same run."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punktum.arguments import params_from_command, shown_command
from punktum.configuration import canonical, changed_parts, config_sha256, configuration
from punktum.hashing import path_sha256
from punktum.revision import revision
from punktum.starting import gather_configuration
from tests.punktum_client.box import Box


def test_the_hash_is_that_of_the_canonical_parts() -> None:
    found = configuration({"rank": 16, "lr": 0.01}, corpora={"eval": "aa"}, git_commit="c0ffee")
    text = '{"corpora":{"eval":"aa"},"git_commit":"c0ffee","params":{"lr":"0.01","rank":"16"}}'
    assert canonical(found.parts) == text.encode()
    assert found.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_numbers_and_their_texts_are_the_same_parameter() -> None:
    assert configuration({"lr": 0.01}).sha256 == configuration({"lr": "0.01"}).sha256
    assert configuration({"o": {"lr": 1}}).parts == {"params": {"o.lr": "1"}}
    assert configuration({"flag": True, "none": None, "layers": [1, 2]}).parts == {
        "params": {"flag": "true", "none": "null", "layers": "[1,2]"}
    }


def test_resuming_output_logging_and_hosts_do_not_count() -> None:
    plain = configuration({"lr": "0.1"})
    more = configuration(
        {
            "lr": "0.1",
            "resume": "ckpt-3",
            "output-dir": "out/b",
            "log_level": "debug",
            "seed-note": "x",
        },
        not_config=["seed_note"],
    )
    assert more.sha256 == plain.sha256
    assert more.not_config.keys() == {"resume", "output-dir", "log_level", "seed-note"}
    assert configuration({"rank": 16}).sha256 != configuration({"rank": 32}).sha256


def test_the_part_that_changed_is_named() -> None:
    before = configuration({"lr": 0.1, "rank": 16}, config_file="aa", corpora={"eval": "bb"})
    after = configuration({"lr": 0.2, "rank": 16}, git_diff="cc", corpora={"eval": "dd"})
    assert changed_parts(before.parts, after.parts) == [
        "config_file",
        "corpora.eval",
        "git_diff",
        "params.lr",
    ]
    assert changed_parts(before.parts, before.parts) == []


leaves = st.text(max_size=8) | st.integers() | st.floats(allow_nan=False) | st.booleans()


@given(st.dictionaries(st.text(min_size=1, max_size=8), leaves, max_size=6))
def test_order_does_not_matter_and_the_parts_give_the_hash_again(params: dict[str, object]) -> None:
    found = configuration(params)
    turned = configuration(dict(reversed(list(params.items()))))
    assert found.sha256 == turned.sha256
    assert config_sha256(json.loads(json.dumps(found.parts))) == found.sha256


@pytest.mark.parametrize(
    ("command", "params"),
    [
        (
            ["python", "train.py", "--lr", "0.1"],
            {"arg1": "python", "arg2": "train.py", "lr": "0.1"},
        ),
        (
            ["/usr/bin/python3.11", "a/train.py", "--lr=0.1"],
            {"arg1": "python", "arg2": "train.py", "lr": "0.1"},
        ),
        (
            ["x", "--amp", "--shift", "-3", "-v"],
            {"arg1": "x", "amp": "true", "shift": "-3", "v": "true"},
        ),
        (["x", "optim.lr=1", "+new=2"], {"arg1": "x", "optim.lr": "1", "+new": "2"}),
        (["x", "--set", "a=1", "--set", "b=2"], {"arg1": "x", "set": "a=1 b=2"}),
        (["x", "-"], {"arg1": "x", "arg2": "-"}),
        ([], {}),
    ],
)
def test_parameters_are_read_from_the_command(command: list[str], params: dict[str, str]) -> None:
    assert params_from_command(command) == params


def test_secrets_are_neither_counted_nor_written_down() -> None:
    command = [
        "x",
        "--hf-token",
        "hf_1",
        "--api_key=ak_2",
        "--password",
        "p3",
        "--pad_token",
        "<p>",
    ]
    found = configuration({**params_from_command(command), "optim": {"secret": "s4"}})
    assert found.parts == {"params": {"arg1": "x", "pad_token": "<p>"}}
    assert found.not_config == dict.fromkeys(
        ("hf-token", "api_key", "password", "optim.secret"), "(hidden)"
    )
    assert shown_command(command) == (
        "x --hf-token (hidden) --api_key=(hidden) --password (hidden) --pad_token '<p>'"
    )


@pytest.mark.parametrize(
    "name",
    ["secret-key", "private_key", "hf.token", "wandb-key", "db.pwd", "hf-auth", "GITHUB_TOKEN"],
)
def test_names_that_hold_secrets(name: str) -> None:
    command = ["x", f"--{name}", "s3cret"]
    found = configuration({**params_from_command(command), f"nested.{name}": "s3cret"})
    assert "s3cret" not in str(found) + shown_command(command)


@pytest.mark.parametrize(
    "name", ["key", "sort_key", "max_tokens", "eos_token", "author", "secrets"]
)
def test_names_that_hold_none(name: str) -> None:
    assert configuration({name: "id"}).parts == {"params": {name: "id"}}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgres://u:s3cret@h/db", "postgres://u:(hidden)@h/db"),
        ("https://s3cret@github.com/x", "https://(hidden)@github.com/x"),
        ("a,redis://:s3cret@h,b", "a,redis://:(hidden)@h,b"),
        ("ssh://git@h/x", "ssh://git@h/x"),
        ("s3://bucket/a@b:c", "s3://bucket/a@b:c"),
    ],
)
def test_a_login_in_an_address_is_hidden_wherever_it_stands(address: str, shown: str) -> None:
    command = ["x", "--store", address, f"--at={address}", f"dsn={address}", address]
    found = configuration({**params_from_command(command), "own": {"list": [address]}})
    assert "s3cret" not in str(found) + shown_command(command)
    params = found.parts["params"]
    assert isinstance(params, dict)
    assert [params[name] for name in ("store", "at", "dsn")] == [shown] * 3


def _git(folder: Path, *words: str) -> None:
    name = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True)


def test_the_revision_is_the_commit_and_the_uncommitted_difference(tmp_path: Path) -> None:
    assert revision(tmp_path).commit is None
    _git(tmp_path, "init", "-q")
    (tmp_path / "train.py").write_text("1\n")
    assert revision(tmp_path).commit is None
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-qm", "first")
    clean = revision(tmp_path)
    assert len(clean.commit or "") == 40
    assert clean.diff is None
    (tmp_path / "train.py").write_text("2\n")
    edited = revision(tmp_path)
    assert edited.commit == clean.commit
    assert len(edited.diff or "") == 64
    assert revision(tmp_path) == edited


def test_files_and_folders_are_hashed(box: Box) -> None:
    (box.folder / "c.toml").write_bytes(b"lr = 1\n")
    corpus = box.folder / "corpus"
    (corpus / "part").mkdir(parents=True)
    (corpus / "part" / "b").write_bytes(b"b")
    (corpus / "a").write_bytes(b"a")
    found = gather_configuration({}, config="c.toml", corpora={"eval": "corpus"})
    assert found.parts["config_file"] == hashlib.sha256(b"lr = 1\n").hexdigest()
    assert found.parts["corpora"] == {"eval": path_sha256(corpus)}
    (corpus / "part" / "b").rename(corpus / "b")
    assert (
        gather_configuration({}, config="c.toml", corpora={"eval": "corpus"}).sha256 != found.sha256
    )


def test_a_file_that_is_not_there_is_said_and_keeps_nobody_from_training(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    found = gather_configuration({}, config="gone.toml")
    assert found.parts["config_file"] == "0" * 64
    assert "punktum: cannot read gone.toml: No such file" in capsys.readouterr().err
