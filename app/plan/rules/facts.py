"""A schedule as the API states it (decimal hours), and as a seal keeps it (whole minutes)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.plan.rules.chance import Chance, share_in_100
from app.plan.rules.comparing import Alternative
from app.plan.rules.scheduled import Dropped, Placement, Schedule, WouldFit
from app.texts import sentence_of, sentence_record
from app.units import hours_text

_FIGURES = (
    "end_min", "window_min", "fits", "uncommitted_min", "exceeds_min", "lower_bound_min",
)  # fmt: skip


def in_hours(schedule: Schedule) -> dict[str, object]:
    """The `schedule` of `GET …/plan`: hours as decimal strings, sentences in English."""
    return {
        "end_hours": _hours(schedule.end_min),
        "window_hours": _hours(schedule.window_min),
        "fits": schedule.fits,
        "uncommitted_hours": _hours(schedule.uncommitted_min),
        "exceeds_hours": _hours(schedule.exceeds_min),
        "lower_bound_hours": _hours(schedule.lower_bound_min),
        "proof": None if schedule.proof is None else str(schedule.proof),
        "dropped": [dropped.id for dropped in schedule.dropped],
        "may_be_dropped": list(schedule.may_be_dropped),
        "would_fit": [
            {"id": one.id, "over_hours": _hours(one.over_min)} for one in schedule.would_fit
        ],
        "steps": [
            {
                "id": placed.id,
                "start_hours": _hours(placed.start_min),
                "end_hours": _hours(placed.end_min),
                "lane": placed.lane,
            }
            for placed in schedule.placements
        ],
    }


def compared(one: Alternative, odds: Chance | None) -> dict[str, object]:
    """One of the `alternatives` of `GET …/plan/compare`."""
    schedule, price = one.schedule, one.price
    return {
        "offer": one.offer.id,
        "lots": one.lots,
        "price": None if price is None else price.text,
        "currency": None if price is None else price.currency,
        "end_hours": None if schedule is None else _hours(schedule.end_min),
        "fits": None if schedule is None else schedule.fits,
        "uncommitted_hours": None if schedule is None else _hours(schedule.uncommitted_min),
        "exceeds_hours": None if schedule is None else _hours(schedule.exceeds_min),
        "dropped": [] if schedule is None else [left.id for left in schedule.dropped],
        "fit_in_100": None if odds is None else share_in_100(odds),
    }


def to_record(schedule: Schedule) -> dict[str, object]:
    """The schedule as JSON for a seal: exact minutes, sentences with their values."""
    return {
        **{name: getattr(schedule, name) for name in _FIGURES},
        "proof": None if schedule.proof is None else sentence_record(schedule.proof),
        "dropped": [{"id": one.id, "why": sentence_record(one.why)} for one in schedule.dropped],
        "not_included": list(schedule.not_included),
        "problems": [sentence_record(problem) for problem in schedule.problems],
        "placements": [
            {
                "id": one.id,
                "step": one.step,
                "start_min": one.start_min,
                "end_min": one.end_min,
                "lane": one.lane,
                "lot": one.lot,
                "gpus": list(one.gpus),
                "person": one.person,
                "reserve": one.reserve,
            }
            for one in schedule.placements
        ],
        "may_be_dropped": list(schedule.may_be_dropped),
        "would_fit": [{"id": one.id, "over_min": one.over_min} for one in schedule.would_fit],
    }


def from_record(record: Mapping[str, Any]) -> Schedule:
    """The schedule that `to_record` wrote, now or before it had reserves and said what may be
    dropped. Raises KeyError for anything else."""
    return Schedule(
        **{name: record[name] for name in _FIGURES},
        proof=None if record["proof"] is None else sentence_of(record["proof"]),
        dropped=tuple(Dropped(one["id"], sentence_of(one["why"])) for one in record["dropped"]),
        not_included=tuple(record["not_included"]),
        problems=tuple(sentence_of(problem) for problem in record["problems"]),
        placements=tuple(
            Placement(**{**one, "gpus": tuple(one["gpus"])}) for one in record["placements"]
        ),
        may_be_dropped=tuple(record.get("may_be_dropped", ())),
        would_fit=tuple(
            WouldFit(one["id"], one["over_min"]) for one in record.get("would_fit", ())
        ),
    )


def _hours(minutes: int | None) -> str | None:
    return None if minutes is None else hours_text(minutes * 60)
