"""What came after the close, in one line for each run: how many events, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.runs.rules.words import reason_said, status_said
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class CameLate:
    """The late events of one attempt of a run; `status` is the end that they tell of, if any.

    `at` is that end by the job's clock, where it said so; `came_at` when the newest of them came.
    `known` is False where nobody had heard of the run before the close.
    """

    run: str
    attempt_id: str
    events: int
    came_at: datetime
    status: str | None = None
    at: datetime | None = None
    reason_code: str | None = None
    reason_text: str | None = None
    known: bool = True

    @property
    def said(self) -> Text:
        """`came after the close: 17 events; says: completed Tue, 1 Dec, 02:10`."""
        came = ntext(
            "came after the close: {n} event", "came after the close: {n} events", self.events
        )
        if not self.known:
            came = ntext(
                "first heard of after the close: {n} event",
                "first heard of after the close: {n} events",
                self.events,
            )
        if self.status is None:
            return came
        how = status_said(self.status)
        if self.reason_code is not None:
            how = text("{how} ({reason})", how=how, reason=reason_said(self.reason_code))
        if self.at is None:
            return text("{came}; says: {how}", came=came, how=how)
        return text("{came}; says: {how} {at}", came=came, how=how, at=self.at)
