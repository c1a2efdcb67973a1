"""What a stop rule's fields mean for each of its kinds, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.plan.rules.model import StopKind
from app.plan.rules.typed.fields import KindHint
from app.texts import text

_NOT_FINITE = (StopKind.NON_FINITE.value,)
_BELOW, _ABOVE = (StopKind.BELOW.value,), (StopKind.ABOVE.value,)
_BEYOND = (*_BELOW, *_ABOVE)
_BEHIND = (StopKind.NOT_BETTER.value,)
HINTS: Final[Mapping[str, tuple[KindHint, ...]]] = {
    "metric": (
        (_NOT_FINITE, text("The metric watched, such as loss.")),
        (_BEYOND, text("The metric compared with the value.")),
        (_BEHIND, text("The metric compared with the control's.")),
        ((StopKind.INPUT_TRUNCATED.value,), text("The input's name; empty: any input.")),
    ),
    "value": (
        (_BELOW, text("Stops at values below this one.")),
        (_ABOVE, text("Stops at values above this one.")),
        (_BEHIND, text("Least gain over the control; empty: any.")),
        ((StopKind.INPUT_TRUNCATED.value,), text("So many may be cut; empty: none.")),
    ),
    "for": (
        (_NOT_FINITE, text("Empty: once; grad_norm five times.")),
        (_BEYOND, text("So many values in a row; empty: one.")),
    ),
    "after_step": (
        ((*_NOT_FINITE, *_BEYOND), text("Judged from this step on; empty: always.")),
        (_BEHIND, text("Compared once, from this step on.")),
    ),
    "after_hours": (
        ((*_NOT_FINITE, *_BEYOND), text("Judged from this hour on; empty: always.")),
        (_BEHIND, text("Compared once, from this hour on.")),
        ((StopKind.NO_RESTORE.value,), text("By then a restore check must have passed.")),
        ((StopKind.SILENT.value,), text("So long without a sign or progress.")),
        ((StopKind.OVERTIME.value,), text("Longest run time; empty: the step's P90.")),
    ),
    "better": ((_BEHIND, text("Which way this metric improves.")),),
}
"""Key of a rule → its hints; together they speak to every kind that the key has an effect for."""
