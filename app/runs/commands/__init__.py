"""The acts of jobs and people on runs; importing this registers the room's projections."""

from app.runs.commands.agreeing import ends_agree
from app.runs.commands.closing import Act, ask_to_stop, mark_lost, mark_stopped
from app.runs.commands.projections import project_stop, project_time
from app.runs.commands.recording import Recorded, Result, record, record_one
from app.runs.commands.refolding import refold
from app.runs.commands.refusals import malformed
from app.runs.commands.time import Logged, log_time, stop_time, withdraw_time

__all__ = [
    "Act", "Logged", "Recorded", "Result", "ask_to_stop", "ends_agree", "log_time",
    "malformed", "mark_lost", "mark_stopped", "project_stop", "project_time", "record",
    "record_one", "refold", "stop_time", "withdraw_time",
]  # fmt: skip
