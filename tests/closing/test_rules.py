"""What owes an explanation, what is still open, and the report as plain data."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.closing.rules.checklist import Standing, checklist, open_points
from app.closing.rules.deviations import Deviation, Explained, why_owed
from app.closing.rules.export import steps_csv
from app.closing.rules.plain import from_record, to_json, to_record
from app.closing.rules.report import DecisionLine, Report, StepRow, StopLine
from app.plan.rules.model import Tolerance
from app.texts import ntext, text
from app.units import Duration

H = 3600
OPEN = text(
    "{lots} after {d}", lots=ntext("{n} lot unpriced", "{n} lots unpriced", 2), d=Duration(3600)
)
TOLERANCE = Tolerance(percent=10, minutes=30)
AT = datetime(2026, 12, 3, 7, 0, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("planned", "delta", "owed"),
    [
        (10 * H, 0, None),
        (10 * H, H, None),  # exactly 10 %: not above it
        (10 * H, H + 60, "longer by 1 h 1 min"),
        (10 * H, -2 * H, "shorter by 2 h"),
        (1 * H, 30 * 60, None),  # exactly 30 min: not above it
        (1 * H, 31 * 60, "longer by 31 min"),
        (100 * H, 31 * 60, None),  # above the minutes, below the percentage
        (1 * H, 7 * 60, None),  # above the percentage, below the minutes
        (0, 31 * 60, "longer by 31 min"),
        (10 * H, None, None),
    ],
)
def test_an_explanation_is_owed_above_both_tolerances(
    planned: int, delta: int | None, owed: str | None
) -> None:
    said = why_owed("done", planned, delta, TOLERANCE, added=False, is_forecast=False)
    assert (None if said is None else str(said)) == owed


@pytest.mark.parametrize("state", ["dropped", "stopped", "never_started"])
def test_what_was_not_carried_out_owes_a_word(state: str) -> None:
    assert why_owed(state, H, None, TOLERANCE, added=False, is_forecast=False) is not None


def test_what_was_added_owes_a_word_and_a_forecast_does_not() -> None:
    assert why_owed("done", None, None, TOLERANCE, added=True, is_forecast=False) is not None
    assert why_owed("running", H, 9 * H, TOLERANCE, added=False, is_forecast=True) is None


def _deviation(owed: bool, said: bool) -> Deviation:
    explained = Explained("a", "data", "It was.") if said else None
    why = text("stopped") if owed else None
    return Deviation("a", "A", "essential", "stopped", H, H, 0, 0, why, None, explained)


NOTHING = Standing((), (), (), (), 0, 0, (), 0)


def test_nothing_open_is_said_as_such() -> None:
    points = checklist(NOTHING)
    assert open_points(points) == 0
    assert len(points) == 9


def test_open_points_come_first_and_name_what_is_missing() -> None:
    standing = replace(
        NOTHING,
        deviations=[_deviation(True, False), _deviation(True, True), _deviation(False, False)],
        going=("a-02",),
        unpriced_lots=1,
    )
    points = checklist(standing)
    assert [str(point.said) for point in points if point.is_open] == [
        "1 deviation unexplained",
        "Still going: a-02",
        "1 lot unpriced",
    ]
    assert [point.is_open for point in points] == sorted((p.is_open for p in points), reverse=True)


def _report(**changes: object) -> Report:
    row = StepRow("a", "A", "essential", "done", 10 * H, 11 * H, H, H, False, None, None)
    stop = StopLine("a-01", "a", "rule:nan", "nan", "loss is not finite", AT)
    decision = DecisionLine(AT, "ada", "cut", None, ("b",), "too late")
    found = Report(
        campaign="c",
        question="Which?",
        zone="Europe/Berlin",
        currency="USD",
        research_decision=True,
        metric="f1",
        better="higher",
        threshold=None,
        gain=Decimal("0.02"),
        yes="ship",
        no="keep",
        outcome=None,
        conclusion=None,
        closed_at=None,
        closed_by=None,
        spare_s=39600,
        proposed="negative",
        plan_version=1,
        plan_sha256="0" * 64,
        sealed_at=AT,
        accepted=1,
        announced=2,
        open_points=(OPEN,),
        rule=(),
        orders=(),
        expenses=(),
        money=(),
        deliverables=(),
        steps=(row,),
        decisions=(decision,),
        stops=(stop,),
        uncertainties=("how long?",),
        head_number=7,
        head_sha256="1" * 64,
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def test_a_report_survives_json_exactly() -> None:
    assert from_record(Report, json.loads(json.dumps(to_record(_report())))) == _report()
    assert to_json(_report())["open_points"] == ["2 lots unpriced after 1 h"]


def test_a_lacking_field_is_an_error_not_a_guess() -> None:
    data = to_record(_report())
    del data["stops"]
    with pytest.raises(KeyError):
        from_record(Report, data)


@given(st.text(max_size=30), st.integers(-(10**7), 10**7))
def test_the_table_reads_back_and_no_cell_is_a_formula(title: str, delta: int) -> None:
    title = title.replace("\r", " ").replace("\x00", " ")
    row = StepRow("a", title, "useful", "done", None, 60, delta, None, True, "data", "=1+1")
    rows = list(csv.DictReader(io.StringIO(steps_csv(_report(steps=(row,))), newline="")))
    assert len(rows) == 1
    for name in ("step", "title", "explanation"):
        assert not rows[0][name].startswith(("=", "+", "-", "@", "\t"))
    assert rows[0]["planned_hours"] == ""
    assert (
        rows[0]["title"].removeprefix("'") == title.removeprefix("'") or title in rows[0]["title"]
    )
