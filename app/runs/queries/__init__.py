"""Reading runs: views, the stop register, people's time, events, windows, and the jobs' sheet."""

from app.runs.queries.events import EventPage, EventView, events_of
from app.runs.queries.runs import (
    Activity,
    RunPage,
    StopRecordView,
    activity,
    next_run,
    page_of_runs,
    run_of,
    runs_of,
    spans_of,
    statuses,
    stop_records,
)
from app.runs.queries.sheet import sheet
from app.runs.queries.windows import Window, windows_of
from app.runs.rules.spans import SpanView
from app.runs.rules.views import (
    AttemptView,
    FiredView,
    Interval,
    MetricView,
    RuleView,
    RunView,
    StopAsk,
)

__all__ = [
    "Activity", "AttemptView", "EventPage", "EventView", "FiredView", "Interval", "MetricView",
    "RuleView", "RunPage", "RunView", "SpanView", "StopAsk", "StopRecordView", "Window",
    "activity", "events_of", "next_run", "page_of_runs", "run_of", "runs_of", "sheet", "spans_of",
    "statuses", "stop_records", "windows_of",
]  # fmt: skip
