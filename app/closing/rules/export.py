"""The table of planned against actual as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io

from app.closing.rules.report import Report
from app.offers.rules.sheet import cell
from app.units import hours_text

_HEADER = (
    "step", "title", "class", "state", "planned_hours", "observed_hours", "duration_delta_hours",
    "end_delta_hours", "explanation_owed", "category", "explanation",
)  # fmt: skip


def steps_csv(report: Report) -> str:
    """One line per step; hours as decimals, unknown empty. A text that a spreadsheet would take
    for a formula gets an apostrophe before it."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(_HEADER)
    for row in report.steps:
        words = (row.step, row.title, row.klass, row.state)
        figures = (row.planned_s, row.observed_s, row.duration_delta_s, row.end_delta_s)
        said = ("yes" if row.owed else "no", row.category or "", row.sentence or "")
        writer.writerow(
            [
                *map(cell, words),
                *("" if figure is None else hours_text(figure) for figure in figures),
                *map(cell, said),
            ]
        )
    return target.getvalue()
