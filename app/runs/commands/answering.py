"""What the answer to a start tells of the plan: the stop rules of the run's own step."""

from __future__ import annotations

import json

from app.db import WriteSession
from app.runs.commands.opening import look
from app.runs.commands.recording import Recorded
from app.runs.rules.records import json_text


def with_own_rules(tx: WriteSession, campaign_id: str, told: Recorded) -> Recorded:
    """The answer to a start, without the stop rules of other steps; no work for any other post.

    All attempts of a run are of one step, whatever their starts named.
    """
    if told.rules is None or told.run is None:
        return told
    found = look(tx, campaign_id, told.run, None)
    if found is None or found.attempt is None:
        return told
    step = found.attempt.start_fields.get("step")
    rules = json.loads(told.rules)
    told.rules = json_text([one for one in rules if step in one.get("steps", (step,))])
    return told
