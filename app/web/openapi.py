"""OpenAPI as the API really answers: each operation's refusals, in the one problem shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

_TEXT: Final = {"type": "string"}
_PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "description": "A refusal (RFC 9457); further members depend on its type.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {**_TEXT, "examples": ["/problems/malformed"]},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": _TEXT,
        "field": {**_TEXT, "description": "what of the input is wrong"},
        "allowed": {"type": "array", "items": _TEXT, "description": "what would be right"},
    },
}
_CONTENT: Final = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_ALWAYS: Final = {
    "401": "no valid credential",
    "403": "a credential that may not do this, or a page of another site",
    "404": "nothing there that the reader may see",
    "413": "too large",
    "422": "malformed: the field and what is allowed",
}
_OF_WRITES: Final = {
    "409": "contradicts the record",
    "415": "a media type or encoding that is not taken",
    "503": "nothing was stored; try again after Retry-After",
}
_OF_THE_FRAMEWORK: Final = ("HTTPValidationError", "ValidationError")


class Described(FastAPI):
    """The app, with every refusal in its description, and with doors past the framework's layers.

    `doors`: which requests go by a door, and what answers them, behind walls as high as the others.
    """

    doors: tuple[tuple[Callable[[Scope], bool], ASGIApp], ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """By the door that takes it, else by the routes."""
        for takes, answer in self.doors:
            if takes(scope):
                scope["app"] = self
                await answer(scope, receive, send)
                return
        await super().__call__(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        return self.openapi_schema or with_problems(super().openapi())


def with_problems(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the refusals of every operation; what an operation says itself stays."""
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            meanings = _ALWAYS if method == "get" else {**_ALWAYS, **_OF_WRITES}
            answers = operation["responses"]
            for status, meaning in meanings.items():
                answers.setdefault(status, {"description": meaning})
                if answers[status]["description"] == "Validation Error":
                    answers[status]["description"] = meaning
            for status in [status for status in answers if status[0] in "45"]:
                answers[status]["content"] = _CONTENT
            operation["responses"] = dict(sorted(answers.items()))
    known = schema.setdefault("components", {}).setdefault("schemas", {})
    for name in _OF_THE_FRAMEWORK:
        known.pop(name, None)
    known["Problem"] = _PROBLEM
    return schema
