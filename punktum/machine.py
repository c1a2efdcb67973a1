"""This machine: its name, an id that is the same tomorrow, its GPUs, its out-of-memory kills."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final


def host_name() -> str:
    """The host's name, as the network knows it."""
    return socket.gethostname() or "unknown"


def machine_id(keep_in: Path | None = None) -> str:
    """64 hex characters: the hash of ``/etc/machine-id``, else of a random id that is kept.

    The random id lies in the user's configuration folder, or in ``keep_in`` where that cannot be
    written.
    """
    try:
        own = Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except (OSError, UnicodeError):
        own = ""
    if len(own) < 16:
        own = _kept_id(keep_in)
    return hashlib.sha256(f"punktum machine {own}".encode()).hexdigest()


def _kept_id(keep_in: Path | None) -> str:
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    places = [Path(base).expanduser() / "punktum" / "machine-id"]
    if keep_in is not None:
        places.append(keep_in / "machine-id")
    for place in places:
        try:
            kept = place.read_text(encoding="ascii").strip()
        except (OSError, UnicodeError):
            continue
        if len(kept) >= 16:
            return kept
    fresh = secrets.token_hex(16)
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{fresh}\n", encoding="ascii")
        except OSError:
            continue
        return fresh
    return fresh


def visible_gpus(environment: Mapping[str, str]) -> list[int] | None:
    """The GPU numbers of ``CUDA_VISIBLE_DEVICES``; None when unset or given by name."""
    named = environment.get("CUDA_VISIBLE_DEVICES")
    if not named:
        return None
    words = [word.strip() for word in named.split(",")]
    return [int(word) for word in words] if all(word.isdigit() for word in words) else None


def gpu_lines(timeout_s: float = 10.0) -> list[str] | None:
    """One line per GPU as nvidia-smi tells it; None when there is no nvidia-smi or it fails."""
    query = [
        "nvidia-smi",
        "--query-gpu=index,name,memory.used,memory.total",
        "--format=csv,noheader",
    ]
    said = _said_by(query, timeout_s)
    return None if said is None else said.strip().splitlines()


IDLE_MIB: Final = 1024
"""A GPU that holds less memory than this works for nobody; a driver alone takes some of it."""


def gpu_is_idle(timeout_s: float = 10.0) -> bool:
    """Whether nvidia-smi says that hardly any GPU memory is used; False where it says nothing.

    Not by its list of processes: that one is empty inside a container.
    """
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    used = (_said_by(query, timeout_s) or "").split()
    return bool(used) and all(one.isdecimal() and int(one) < IDLE_MIB for one in used)


def _said_by(command: list[str], timeout_s: float) -> str | None:
    """What a command prints; None when it is not there or fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def memory_kills(root: Path = Path("/")) -> int | None:
    """How often the kernel killed for want of memory: in our control group, else on the machine.

    None where nothing counts it. Compare before and after: only a rise is evidence.
    """
    counts = (_oom_kill(path) for path in _counters(root))
    return next((count for count in counts if count is not None), None)


def _counters(root: Path) -> list[Path]:
    groups = []
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        lines = []
    for line in lines:
        number, _, rest = line.partition(":")
        kinds, _, group = rest.partition(":")
        if number == "0":
            groups.append(root / "sys/fs/cgroup" / group.lstrip("/") / "memory.events")
        elif "memory" in kinds.split(","):
            groups.append(root / "sys/fs/cgroup/memory" / group.lstrip("/") / "memory.oom_control")
    inside = [
        root / "sys/fs/cgroup/memory.events",
        root / "sys/fs/cgroup/memory/memory.oom_control",
    ]
    return [*groups, *inside, root / "proc/vmstat"]


def _oom_kill(path: Path) -> int | None:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, count = line.partition(" ")
        if name == "oom_kill" and count.strip().isdigit():
            return int(count)
    return None
