"""The acts of jobs and people on runs; importing this registers the room's projections."""

from app.runs.commands.agreeing import ends_agree
from app.runs.commands.answering import with_own_rules
from app.runs.commands.archiving import archive, bring_back, project_archival
from app.runs.commands.closing import Act, ask_to_stop, close_silent, mark_lost, mark_stopped
from app.runs.commands.late import late_events_agree
from app.runs.commands.projections import project_restore, project_stop, project_time
from app.runs.commands.recording import Recorded, Result, record, record_one
from app.runs.commands.refolding import refold
from app.runs.commands.refusals import malformed
from app.runs.commands.thinning import Thinning, thin, thinned_agree
from app.runs.commands.time import Logged, log_time, stop_time, withdraw_time
from app.runs.commands.watching import watch

__all__ = [
    "Act", "Logged", "Recorded", "Result", "Thinning", "archive", "ask_to_stop", "bring_back",
    "close_silent", "ends_agree", "late_events_agree", "log_time", "malformed", "mark_lost",
    "mark_stopped", "project_archival", "project_restore", "project_stop", "project_time", "record",
    "record_one", "refold", "stop_time", "thin", "thinned_agree", "watch", "with_own_rules",
    "withdraw_time",
]  # fmt: skip
