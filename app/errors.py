"""Refusals: one class per kind, one JSON shape (RFC 9457), readable pages from the same facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.texts import Text, text


class AppError(Exception):
    """Something the product refuses, with what would be right.

    `name` is the stable last part of the problem type; `status` its HTTP status; `field` names
    what was wrong in the input; `allowed` lists what would have been accepted; `extra` carries
    further members of the JSON answer.
    """

    name: ClassVar[str] = "refused"
    status: ClassVar[int] = 400
    title: ClassVar[Text] = text("Refused")

    def __init__(
        self,
        detail: Text,
        *,
        field: str | None = None,
        allowed: Sequence[str] | None = None,
        retry_after_s: int | None = None,
        **extra: object,
    ) -> None:
        super().__init__(str(detail))
        self.detail = detail
        self.field = field
        self.allowed = tuple(allowed) if allowed is not None else None
        self.retry_after_s = retry_after_s
        self.extra = extra

    def problem(self) -> dict[str, object]:
        """The answer's body as `application/problem+json` in English."""
        body: dict[str, object] = {
            "type": f"/problems/{self.name}",
            "title": str(self.title),
            "status": self.status,
            "detail": str(self.detail),
        }
        if self.field is not None:
            body["field"] = self.field
        if self.allowed is not None:
            body["allowed"] = list(self.allowed)
        return {**body, **self.extra}


class Malformed(AppError):
    """Input that cannot be read as what it should be."""

    name = "malformed"
    status = 422
    title = text("Malformed input")


class Conflict(AppError):
    """Input that contradicts the record."""

    name = "conflict"
    status = 409
    title = text("Contradicts the record")


class Closed(Conflict):
    """A write to a campaign that was closed."""

    name = "campaign-closed"
    title = text("The campaign is closed")


class NotSignedIn(AppError):
    """No credential, or one that is not known."""

    name = "not-signed-in"
    status = 401
    title = text("No valid credential")


class Forbidden(AppError):
    """A credential that may not do this, or a request from a foreign page."""

    name = "forbidden"
    status = 403
    title = text("Not allowed")


class NotFound(AppError):
    """Nothing there that the reader may see."""

    name = "not-found"
    status = 404
    title = text("Not found")


class NotAllowed(AppError):
    """The address exists, but not for this method."""

    name = "method-not-allowed"
    status = 405
    title = text("Method not allowed")


class Gone(AppError):
    """Archived: kept, but nothing is added any more."""

    name = "archived"
    status = 410
    title = text("Archived")


class TooLarge(AppError):
    """A body over the limit."""

    name = "too-large"
    status = 413
    title = text("Too large")


class WrongType(AppError):
    """A body of a media type that is not understood here."""

    name = "unsupported-media-type"
    status = 415
    title = text("Unsupported media type")


class TooMany(AppError):
    """More than the quota; try again later."""

    name = "too-many"
    status = 429
    title = text("Too many requests")


class Broken(AppError):
    """Our own failure; the log has the request id."""

    name = "internal"
    status = 500
    title = text("Something went wrong here")


class Busy(AppError):
    """The write queue is full; nothing was stored."""

    name = "busy"
    status = 503
    title = text("Busy")


REFUSALS: tuple[type[AppError], ...] = (
    Malformed, Conflict, Closed, NotSignedIn, Forbidden, NotFound, NotAllowed, Gone,
    TooLarge, WrongType, TooMany, Broken, Busy,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal as the error page shows it."""

    status: int
    title: Text
    detail: Text
    field: str | None
    allowed: tuple[str, ...]
    request_id: str | None
