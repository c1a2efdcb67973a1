"""Which steps bring the results home: one answer for the header, the lots and the deliverables."""

from __future__ import annotations

import pytest

from app.plan.rules.model import Role, Step, StepClass, StepKind
from app.plan.rules.retrieving import retrieving


def _step(name: str, kind: str, role: Role | None = None) -> Step:
    return Step(name, name, StepKind(kind), StepClass.ESSENTIAL, 3600, role=role)


UPLOAD = _step("upload", "transfer")
PULL = _step("pull", "transfer", Role.RETRIEVAL)
CARRY = _step("carry", "human", Role.RETRIEVAL)
TRAIN = _step("train", "machine", Role.CONTROL)


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((UPLOAD, TRAIN, PULL), (PULL,)),
        ((UPLOAD, TRAIN), (UPLOAD,)),
        ((TRAIN, CARRY, PULL), (CARRY, PULL)),
        ((TRAIN,), ()),
        ((), ()),
    ],
)
def test_the_role_says_it_else_the_kind(steps: tuple[Step, ...], found: tuple[Step, ...]) -> None:
    assert retrieving(steps) == found
