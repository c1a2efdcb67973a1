"""``base_revision``: an adapter names the exact content of its base model.

``adapter_config.json`` must hold ``base_model_name_or_path`` and as ``revision`` a full commit
hash; a branch such as "main", or nothing, does not say which weights it was trained on. A base
that is a folder of this machine is pinned by the SHA-256 of its files instead.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from punktum import reading, talk
from punktum.checks.verdict import Announced, Subject, Verdict
from punktum.hashing import path_sha256

KIND = "base_revision"
CONFIG = "adapter_config.json"

_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when every adapter in the folder names its base and the base's commit."""
    configs = [entry.path for entry in subject.files if entry.path.split("/")[-1] == CONFIG]
    if not configs:
        return Verdict(KIND, False, f"{CONFIG} is not there")
    named = [(path, base_of(subject.folder / path)) for path in configs]
    faults = [(path, _fault(base, (subject.folder / path).parent)) for path, base in named]
    wrong = [f"{path}: {fault}" for path, fault in faults if fault]
    bases = [{"file": path, **base} for path, base in named]
    if wrong:
        return Verdict(KIND, False, "; ".join(wrong), {"bases": bases})
    first = named[0][1]
    said = f"{first.get('base')} at {str(first.get('revision'))[:12]}"
    return Verdict(KIND, True, said, {"bases": bases})


def base_of(path: Path) -> dict[str, object]:
    """``base`` and ``revision`` as an adapter's configuration names them, where it does."""
    try:
        found = reading.record(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}
    named = {"base": found.get("base_model_name_or_path"), "revision": found.get("revision")}
    return {key: value for key, value in named.items() if isinstance(value, str) and value}


def _fault(base: dict[str, object], beside: Path) -> str:
    name, revision = base.get("base"), base.get("revision")
    if not isinstance(name, str):
        return "no base_model_name_or_path"
    said = f"revision is {revision!r}" if revision else "no revision"
    folder = local_base(name, beside)
    if folder is not None or is_path(name):
        return _local_fault(name, folder, str(revision or ""), said)
    if isinstance(revision, str) and _COMMIT.match(revision):
        return ""
    cached = cached_commit(name, revision if isinstance(revision, str) else "main")
    offer = f"; the local cache holds {cached}" if cached else ""
    return f"{said}, the full commit hash of {name} is needed{offer}"


def _local_fault(name: str, folder: Path | None, revision: str, said: str) -> str:
    """What is wrong with the pin of a local base; one that is not here cannot be compared."""
    if folder is None:
        return (
            ""
            if _SHA256.match(revision)
            else f"{said}, the SHA-256 of the files of {name} is needed"
        )
    talk.say(f"hashing the base model {folder}")
    found = path_sha256(folder)
    if revision == found:
        return ""
    return f"{said}, the SHA-256 of the files of {name} is {found}"


def is_path(name: str) -> bool:
    """Whether a base model's name is a path of some machine rather than a name in a hub."""
    return name.startswith(("/", "./", "../", "~", ".\\", "..\\")) or bool(
        re.match(r"[A-Za-z]:[\\/]", name)
    )


def local_base(name: str, beside: Path) -> Path | None:
    """The folder of this machine that a base model's name means; None where it means none."""
    for folder in (Path(name).expanduser(), beside / name):
        try:
            if folder.is_dir():
                return folder.resolve()
        except (OSError, ValueError, RuntimeError):
            continue
    return None


def cached_commit(name: str, branch: str) -> str | None:
    """The commit of a branch in the local hub cache; None when it does not hold the model."""
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    folder = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    if ".." in branch.split("/") or "/" not in name or ".." in name:
        return None
    try:
        commit = (folder / f"models--{name.replace('/', '--')}" / "refs" / branch).read_text(
            "ascii"
        )
    except (OSError, ValueError):
        return None
    return commit.strip() if _COMMIT.match(commit.strip()) else None
