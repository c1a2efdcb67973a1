"""``base_revision``: an adapter names the exact commit of its base model.

``adapter_config.json`` must hold ``base_model_name_or_path`` and a full commit hash as
``revision``; a branch such as "main", or nothing, does not say which weights it was trained on.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from punktum import reading
from punktum.checks.verdict import Announced, Subject, Verdict

KIND = "base_revision"
CONFIG = "adapter_config.json"

_COMMIT = re.compile(r"[0-9a-f]{40}\Z")


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when every adapter in the folder names its base and the base's commit."""
    configs = [entry.path for entry in subject.files if entry.path.split("/")[-1] == CONFIG]
    if not configs:
        return Verdict(KIND, False, f"{CONFIG} is not there")
    named = [(path, base_of(subject.folder / path)) for path in configs]
    wrong = [f"{path}: {_fault(base)}" for path, base in named if _fault(base)]
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


def _fault(base: dict[str, object]) -> str:
    name, revision = base.get("base"), base.get("revision")
    if not isinstance(name, str):
        return "no base_model_name_or_path"
    if isinstance(revision, str) and _COMMIT.match(revision):
        return ""
    said = f"revision is {revision!r}" if revision else "no revision"
    cached = cached_commit(name, revision if isinstance(revision, str) else "main")
    offer = f"; the local cache holds {cached}" if cached else ""
    return f"{said}, the full commit hash of {name} is needed{offer}"


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
