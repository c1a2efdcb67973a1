"""Whether the figures of a schedule say what its bars show: end, window, fit, spare, overrun."""

from __future__ import annotations

from app.plan.rules.validator.case import Case, Violation
from app.texts import text


def figure_violations(case: Case) -> tuple[Violation, ...]:
    """Figures that the bars contradict, and bars outside their lot in a plan said to fit."""
    schedule = case.schedule
    found: list[Violation] = []
    window = None
    if case.lots:
        window = max(lot.end_min for lot in case.lots) - min(lot.start_min for lot in case.lots)
    if schedule.window_min != window:
        found.append(_wrong("window", schedule.window_min, window))
    if schedule.end_min is None:
        unknown = (schedule.uncommitted_min, schedule.exceeds_min, schedule.lower_bound_min)
        if schedule.fits or unknown != (None, None, None):
            found.append(Violation("figures", "end", text("Figures for a plan without an end")))
        return tuple(found)
    end = max((bar.end_min for bar in schedule.placements), default=0)
    if schedule.end_min != end:
        found.append(_wrong("end", schedule.end_min, end))
    if schedule.lower_bound_min is None or schedule.lower_bound_min > end:
        found.append(_wrong("lower bound", schedule.lower_bound_min, end))
    return (*found, *_fit(case, end))


def _fit(case: Case, end: int) -> list[Violation]:
    schedule = case.schedule
    late = {bar.id: case.overrun(bar) or 0 for bar in schedule.placements}
    over = max(0, max(late.values(), default=0))
    found: list[Violation] = []
    if schedule.fits:
        found += [
            Violation("window", name, text("{bar}: {late} min outside its lot", bar=name, late=by))
            for name, by in late.items()
            if by > 0
        ]
    uncommitted = _uncommitted(case, end) if schedule.fits and case.lots else None
    if schedule.uncommitted_min != uncommitted:
        found.append(_wrong("uncommitted", schedule.uncommitted_min, uncommitted))
    exceeds = over if not schedule.fits and case.lots else None
    if schedule.exceeds_min != exceeds or exceeds == 0 or (schedule.fits and not case.lots):
        found.append(_wrong("exceeds", schedule.exceeds_min, exceeds))
    return found


def _uncommitted(case: Case, end: int) -> int:
    used = {bar.lot for bar in case.schedule.placements if bar.lot is not None}
    ends = [case.lot[name].end_min for name in used]
    return max(0, min(ends, default=max(lot.end_min for lot in case.lots)) - end)


def _wrong(figure: str, said: int | None, right: int | None) -> Violation:
    sentence = text("{figure}: {said} said, {right} found", figure=figure, said=said, right=right)
    return Violation("figures", figure, sentence)
