"""Forms as people send them: read once, checked for our token, nothing typed is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from fastapi import Request
from starlette.datastructures import UploadFile

from app.errors import Forbidden
from app.texts import Text, text
from app.web import tokens
from app.web.sent import digest, sent_forms

T = TypeVar("T")
MOST_FILES: Final = 1000
"""A spool folder, chosen file by file."""


@dataclass(slots=True)
class Form:
    """What was typed, and what is wrong with it, field by field."""

    values: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uploads: Mapping[str, tuple[tuple[str, bytes], ...]] = field(default_factory=dict)
    """Where a field takes several files: each with the name that it was chosen by."""
    errors: dict[str, Text] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """A field as typed, with the white space around it taken off."""
        return self.values.get(name, default).strip()

    def error(self, name: str) -> Text | None:
        """What is wrong with a field, if anything."""
        return self.errors.get(name)

    def refuse(self, name: str, message: Text) -> None:
        """Say what is wrong with a field and what would be right; the first word stands."""
        self.errors.setdefault(name, message)


async def read_form(request: Request) -> AsyncIterator[Form]:
    """Read the body as a form and check its token; raises `Forbidden` for a foreign one and
    `SentBefore` for one that was sent twice.

    Use as a dependency: `form: Annotated[Form, Depends(read_form)]`.
    """
    form = await _typed(request)
    values = [(name, item) for name, items in form.lists.items() for item in items]
    files = [(name, item) for name, items in form.uploads.items() for _, item in items]
    key = digest(request.scope["path"], [*values, *files])
    sent = sent_forms(request)
    await sent.begin(key)
    request.state.form_key = key
    try:
        yield form
    finally:
        sent.end(key)


async def _typed(request: Request) -> Form:
    data = await request.form(max_files=MOST_FILES, max_fields=2000)
    values: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    files: dict[str, bytes] = {}
    uploads: dict[str, list[tuple[str, bytes]]] = {}
    for name, value in data.multi_items():
        if isinstance(value, UploadFile):
            files[name] = await value.read()
            uploads.setdefault(name, []).append((value.filename or "", files[name]))
        else:
            values[name] = value
            lists.setdefault(name, []).append(value)
    if not tokens.csrf_holds(request.app.state.secret, request, values.get("csrf_token", "")):
        raise Forbidden(
            text("This form is from another page or too old. Load the page and send it once more.")
        )
    return Form(values, files, _whole(lists), _whole(uploads))


def _whole(found: Mapping[str, list[T]]) -> dict[str, tuple[T, ...]]:
    return {name: tuple(items) for name, items in found.items()}
