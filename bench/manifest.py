"""`punktum verify`: hashing against `sha256sum`, and memory for one huge file and for many small
ones. `BENCH_MANIFEST_GIB` and `BENCH_MANIFEST_FILES` make it smaller."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.results import Result

GIB = int(os.environ.get("BENCH_MANIFEST_GIB", "20"))
FILES = int(os.environ.get("BENCH_MANIFEST_FILES", "100000"))
PER_FOLDER = 1000
CAMPAIGN = """\
format = "punktum/1"
[campaign]
id = "bench"
[[deliverables]]
id = "files"
checks = [{ kind = "non_empty" }]
"""
RUN = """\
import json, sys, time
from punktum.cli import main
began = time.perf_counter()
code = main(sys.argv[1:])
took = time.perf_counter() - began
status = open("/proc/self/status").read()
peak = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
print(json.dumps({"code": code, "took": took, "peak_kib": int(peak)}))
"""


@dataclass(frozen=True, slots=True)
class Verified:
    """Seconds of one `punktum verify`, and the most memory that it held, in MB of 10^6 bytes."""

    took_s: float
    peak_mb: float


def run() -> Iterator[Result]:
    """One sparse file of 20 GiB, then 100,000 files of a few bytes."""
    with tempfile.TemporaryDirectory(prefix="punktum-bench-") as name:
        yield from _one_file(Path(name))
    with tempfile.TemporaryDirectory(prefix="punktum-bench-") as name:
        yield from _many_files(Path(name))


def _one_file(root: Path) -> Iterator[Result]:
    out = root / "out"
    out.mkdir()
    with (out / "sparse.bin").open("wb") as stream:
        stream.truncate(GIB << 30)
    size_mb = (GIB << 30) / 1e6
    began = time.perf_counter()
    subprocess.run(["sha256sum", out / "sparse.bin"], check=True, stdout=subprocess.DEVNULL)
    known = size_mb / (time.perf_counter() - began)
    found = _verify(root, out)
    rate = size_mb / found.took_s
    yield Result(f"manifest.{GIB}_gib.rate", rate, "MB/s", baseline=known, mark="ratio ≥ 0.8")
    yield Result(f"manifest.{GIB}_gib.memory", found.peak_mb, "MB", mark="≤ 60")


def _many_files(root: Path) -> Iterator[Result]:
    out = root / "out"
    for n in range(FILES):
        folder = out / f"part-{n // PER_FOLDER:04}"
        if n % PER_FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"prediction-{n:06}.json").write_text(json.dumps({"id": n}))
    found = _verify(root, out)
    yield Result(f"manifest.{FILES}_files.took", found.took_s, "s")
    yield Result(f"manifest.{FILES}_files.memory", found.peak_mb, "MB", mark="≤ 60")
    again = _verify(root, out)
    yield Result(f"manifest.{FILES}_files.again.memory", again.peak_mb, "MB", mark="≤ 60")


def _verify(root: Path, out: Path) -> Verified:
    """Without a server: the evidence is kept in the spool."""
    campaign = root / "campaign.toml"
    campaign.write_text(CAMPAIGN)
    environment = {name: said for name, said in os.environ.items() if "PUNKTUM" not in name}
    words = ("verify", str(out), "--all", "--campaign", str(campaign))
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words],
        env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["code"] == 0, done.stdout
    return Verified(said["took"], said["peak_kib"] * 1024 / 1e6)
