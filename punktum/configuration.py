"""What makes two runs the same run: the configuration's parts, their hash, and which part changed.

Pure. Covered are the parameters, the config file's bytes, the git commit with the hash of the
uncommitted diff, and the hashes of the named corpora. Arguments about resuming, output, logging
and hosts are not covered (NOT_CONFIG lists them); a job may declare more.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from punktum import reading
from punktum.arguments import HIDDEN, SECRET, without_login
from punktum.events import visible

_RESUMING: Final = ("resume", "resume_from", "resume_from_checkpoint", "restart", "ckpt_path")
_OUTPUT: Final = (
    *("o", "out", "out_dir", "outdir", "output", "output_dir", "output_path", "output_file"),
    *("overwrite_output_dir", "save", "save_dir", "save_path", "save_every", "save_steps"),
    *("save_strategy", "save_total_limit", "checkpoint_dir", "results_dir", "work_dir", "workdir"),
    *("run_dir", "run_name", "run_id"),
)
_LOGGING: Final = (
    *("v", "verbose", "q", "quiet", "progress", "no_progress", "log", "log_dir", "logdir"),
    *("log_file", "log_level", "log_every", "log_interval", "logging", "logging_dir"),
    *("logging_steps", "logging_strategy", "report_to", "wandb", "wandb_project", "tensorboard"),
)
_HOST: Final = (
    *("host", "hostname", "port", "master_addr", "master_port", "rdzv_endpoint", "rdzv_id"),
    *("node_rank", "local_rank", "device", "gpu_id", "num_workers", "workers", "cache_dir"),
)
NOT_CONFIG: Final = frozenset(_RESUMING + _OUTPUT + _LOGGING + _HOST)
"""Arguments that do not count, spelt with underscores and in lower case."""

LONGEST_NAME: Final = 120
LONGEST_VALUE: Final = 4000
MOST_PARAMS: Final = 2000
LARGEST_PARAMS: Final = 200_000
UNREADABLE: Final = "0" * 64
"""Stands for the hash of a file that could not be read."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The hash, the parts it covers (the wire's ``config``), and the arguments left out."""

    sha256: str
    parts: dict[str, object]
    not_config: dict[str, str] = field(default_factory=dict)


def configuration(
    params: Mapping[str, object],
    *,
    config_file: str | None = None,
    git_commit: str | None = None,
    git_diff: str | None = None,
    corpora: Mapping[str, str] | None = None,
    not_config: Iterable[str] = (),
) -> Configuration:
    """Put the parts together and hash them.

    ``config_file``, ``git_diff`` and the corpora's values are SHA-256 hex; ``not_config`` names
    further parameters that do not count; secrets do not either, and are not written down.
    """
    excluded = NOT_CONFIG | {_plain(name) for name in not_config}
    flat = flatten(params)
    counted = {
        name: text
        for name, text in flat.items()
        if _plain(name) not in excluded and not SECRET.match(name)
    }
    parts: dict[str, object] = {"params": _bounded(counted)}
    for name, text in (
        ("config_file", config_file),
        ("git_commit", git_commit),
        ("git_diff", git_diff),
    ):
        if text is not None:
            parts[name] = text
    if corpora:
        parts["corpora"] = {_name(name): text for name, text in corpora.items()}
    left_out = {name: text for name, text in flat.items() if name not in counted}
    left_out.update({name: HIDDEN for name in left_out if SECRET.match(name)})
    return Configuration(config_sha256(parts), parts, _bounded(left_out))


def config_sha256(parts: Mapping[str, object]) -> str:
    """SHA-256 hex of the canonical form of the parts."""
    return hashlib.sha256(canonical(parts)).hexdigest()


def canonical(parts: Mapping[str, object]) -> bytes:
    """JSON with sorted keys and no spaces, UTF-8; every leaf is text, so numbers have one form."""
    return json.dumps(
        parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode("utf-8", "backslashreplace")


def changed_parts(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Names of the parts that differ: ``params.lr``, ``config_file``, ``corpora.eval`` …"""
    old, new = _leaves(before), _leaves(after)
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def flatten(params: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Nested parameters as one level: ``{"optim": {"lr": 0.1}}`` → ``{"optim.lr": "0.1"}``."""
    flat: dict[str, str] = {}
    for name, value in params.items():
        full = f"{prefix}{name}"
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{full}."))
        else:
            flat[_name(full)] = _leaf(value)
    return flat


def _leaf(value: object) -> str:
    """Text stays, but for logins in addresses; numbers, truth values, None and lists take their
    JSON form; long ones a hash."""
    if isinstance(value, str):
        said = value
    else:
        try:
            said = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        except (TypeError, ValueError):
            said = str(value)
    shown = visible(_nfc(without_login(said)))
    return shown if len(shown) <= LONGEST_VALUE else _hash_of(shown)


def _name(name: str) -> str:
    shown = visible(_nfc(str(name)))
    if len(shown) > LONGEST_NAME:
        shown = f"{shown[:40]}…{hashlib.sha256(shown.encode()).hexdigest()}"
    return shown or "(no name)"


def _bounded(flat: dict[str, str]) -> dict[str, str]:
    """Many or large parameters together are told by their hash alone: an event is no archive."""
    if len(flat) <= MOST_PARAMS and len(canonical(flat)) <= LARGEST_PARAMS:
        return flat
    return {"all": hashlib.sha256(canonical(flat)).hexdigest()}


def _hash_of(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _leaves(parts: Mapping[str, object]) -> dict[str, str]:
    leaves: dict[str, str] = {}
    for name, value in parts.items():
        if isinstance(value, Mapping):
            leaves.update(
                {f"{name}.{key}": str(text) for key, text in reading.record(value).items()}
            )
        elif value is not None:
            leaves[name] = str(value)
    return leaves


def _plain(name: str) -> str:
    return name.lstrip("-").replace("-", "_").lower()


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
