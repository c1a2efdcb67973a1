"""Which digits are mistaken for which: `out/error-analysis/error-analysis.md`."""

from __future__ import annotations

import csv
from collections import Counter

from digits import OUT

import punktum

SHOWN = 8
Rows = list[dict[str, str]]


def main() -> None:
    """Read the predictions, count the mistakes, write what they have in common."""
    with punktum.run("error-analysis", output=OUT) as run:
        with (OUT / "predictions" / "predictions.csv").open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        models = [name for name in rows[0] if name not in ("id", "digit")]
        wrong = {name: [row for row in rows if row[name] != row["digit"]] for name in models}
        run.metrics({f"mistakes_{name}": len(found) for name, found in wrong.items()})
        path = OUT / "error-analysis" / "error-analysis.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_written(rows, wrong)) + "\n", encoding="utf-8")
        run.progress(1, 1)
    print(f"error analysis: {', '.join(f'{n} {len(w)} mistakes' for n, w in wrong.items())}")


def _written(rows: Rows, wrong: dict[str, Rows]) -> list[str]:
    lines = ["# Error analysis", "", f"{len(rows)} held-out images.", ""]
    lines += ["| model | mistakes | most often |", "|---|---|---|"]
    lines += [f"| {name} | {len(found)} | {_pairs(name, found)} |" for name, found in wrong.items()]
    lines += ["", *_by_digit(rows, wrong), "", *_in_all(wrong)]
    first, *others = wrong
    for name in others:
        lines += ["", *_against_first(first, name, wrong)]
    return lines


def _pairs(name: str, found: Rows) -> str:
    """The commonest pairs as written → read × times."""
    pairs = Counter((row["digit"], row[name]) for row in found)
    ordered = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{a} → {b} × {count}" for (a, b), count in ordered[:3]) or "none"


def _by_digit(rows: Rows, wrong: dict[str, Rows]) -> list[str]:
    lines = ["## By digit", "", f"| digit | images | {' | '.join(wrong)} |"]
    lines.append("|---" * (2 + len(wrong)) + "|")
    for digit in sorted({row["digit"] for row in rows}):
        count = sum(row["digit"] == digit for row in rows)
        missed = [str(sum(row["digit"] == digit for row in found)) for found in wrong.values()]
        lines.append(f"| {digit} | {count} | {' | '.join(missed)} |")
    return lines


def _in_all(wrong: dict[str, Rows]) -> list[str]:
    """Images that no model reads right: the data may be at fault rather than a model."""
    names = [{row["id"] for row in found} for found in wrong.values()]
    shared = sorted(set.intersection(*names))
    listed = ", ".join(shared[:SHOWN]) + (" …" if len(shared) > SHOWN else "")
    said = f"{len(shared)} images are read wrong by every model"
    return ["## Wrong in every model", "", f"{said}: {listed}." if shared else f"{said}."]


def _against_first(first: str, name: str, wrong: dict[str, Rows]) -> list[str]:
    before = {row["id"] for row in wrong[first]}
    after = {row["id"] for row in wrong[name]}
    mended, broken = len(before - after), len(after - before)
    return [
        f"## {name} against {first}",
        "",
        f"{mended} mistakes of {first} are gone, {broken} are new.",
    ]


if __name__ == "__main__":
    main()
