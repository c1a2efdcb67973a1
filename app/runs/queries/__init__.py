"""Reading runs: views, the stop register, people's time, events, windows, and the jobs' sheet."""

from app.runs.queries.archived import ArchivalView, archivals_of
from app.runs.queries.events import EventPage, EventView, events_of
from app.runs.queries.late import (
    LateEntry,
    came_late,
    late_attempts,
    late_entries,
    late_events,
)
from app.runs.queries.measured import measured
from app.runs.queries.runs import (
    Activity,
    RunPage,
    StopRecordView,
    activity,
    going_runs,
    next_run,
    page_of_runs,
    run_of,
    runs_of,
    spans_of,
    statuses,
    stop_records,
)
from app.runs.queries.sheet import sheet
from app.runs.queries.spells import spells_of
from app.runs.queries.watching import attention
from app.runs.queries.windows import Window, windows_of
from app.runs.rules.errata import CameLate
from app.runs.rules.sources import SourceView
from app.runs.rules.spans import SpanView
from app.runs.rules.spells import Spell
from app.runs.rules.views import (
    AttemptView,
    CheckpointView,
    FiredView,
    Interval,
    MetricView,
    RestoreView,
    RuleView,
    RunView,
    StopAsk,
)

__all__ = [
    "Activity",
    "ArchivalView",
    "AttemptView",
    "CameLate",
    "CheckpointView",
    "EventPage",
    "EventView",
    "FiredView",
    "Interval",
    "LateEntry",
    "MetricView",
    "RestoreView",
    "RuleView",
    "RunPage",
    "RunView",
    "SourceView",
    "SpanView",
    "Spell",
    "StopAsk",
    "StopRecordView",
    "Window",
    "activity",
    "archivals_of",
    "attention",
    "came_late",
    "events_of",
    "going_runs",
    "late_attempts",
    "late_entries",
    "late_events",
    "measured",
    "next_run",
    "page_of_runs",
    "run_of",
    "runs_of",
    "sheet",
    "spans_of",
    "spells_of",
    "statuses",
    "stop_records",
    "windows_of",
]  # fmt: skip
