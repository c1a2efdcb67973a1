"""`./bin/bench [NAME …] [--json FILE]`: run benchmarks and print a table."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from bench.results import Result

NAMES = (
    "startup", "posts", "replay", "pages", "growth", "chance", "schedule", "compare", "money",
    "manifest",
)  # fmt: skip


def main() -> int:
    """Run what is asked for; 2 for an unknown name."""
    parser = argparse.ArgumentParser(
        prog="bin/bench", epilog="Example: ./bin/bench posts --json out.json"
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}; all without a name"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in NAMES]
    if unknown:
        print(f"bench: there is no {unknown[0]}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    found: list[Result] = []
    print(f"{'':46} {'value':>12} {'unit':10} {'baseline':>12} {'ratio':>7}  mark")
    for name in asked.names or NAMES:
        for result in importlib.import_module(f"bench.{name}").run():
            found.append(result)
            print(_line(result), flush=True)
    if asked.json:
        asked.json.write_text(
            json.dumps({one.name: one.as_json() for one in found}, indent=2) + "\n", "utf-8"
        )
    return 0


def _line(one: Result) -> str:
    baseline = "" if one.baseline is None else f"{one.baseline:,.2f}"
    ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
    figures = f"{one.value:>12,.2f} {one.unit:10} {baseline:>12} {ratio:>7}"
    return f"{one.name:46} {figures}  {one.mark or ''}"


if __name__ == "__main__":
    sys.exit(main())
