"""One reason against writing something down, as forms and the API both need it."""

from __future__ import annotations

from dataclasses import dataclass

from app.texts import Text


@dataclass(frozen=True, slots=True)
class Objection:
    """Why an act is refused: the field, the sentence, whether the record contradicts it."""

    field: str
    message: Text
    contradicts: bool = False
    allowed: tuple[str, ...] | None = None
