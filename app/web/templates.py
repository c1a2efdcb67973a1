"""The Jinja environment: autoescape and StrictUndefined everywhere, macros as one global."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2_fragments import render_block

from app.language import Reader
from app.settings import ROOT

STATIC = ROOT / "static"
_reader: ContextVar[Reader] = ContextVar("reader")
_SAYING = (
    "say", "when", "day", "clock_time", "weekday", "weekday_short", "duration", "hours", "money",
    "number",
)  # fmt: skip


@functools.cache
def asset(name: str) -> str:
    """The address of a static file with the hash of its content in it, good for ever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    path = Path(name)
    return f"/static/{path.with_name(f'{path.stem}.{digest}{path.suffix}')}"


@functools.cache
def asset_file(hashed: str) -> Path | None:
    """The file behind an address made by `asset`; None when the hash is not that of the file."""
    path = Path(hashed)
    stem, _, _digest = path.stem.rpartition(".")
    name = str(path.with_name(stem + path.suffix)) if stem else ""
    if not stem or ".." in path.parts or not (STATIC / name).is_file():
        return None
    return STATIC / name if asset(name) == f"/static/{hashed}" else None


def _saying(name: str) -> Callable[..., object]:
    """A template global that asks the reader of the page being rendered; markup stays markup."""

    def said(*args: object, **values: object) -> object:
        return getattr(_reader.get(), name)(*args, **values)

    said.__name__ = name
    return said


@functools.cache
def environment() -> Environment:
    """The one environment; macros are a global, since a block rendered alone sees no imports."""
    env = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.globals.update({name: _saying(name) for name in _SAYING})
    env.globals.update(_=_saying("translate"), n_=_saying("plural"), asset=asset)
    env.globals["ui"] = env.get_template("macros/ui.html").module
    return env


def render(
    template: str, context: Mapping[str, object], reader: Reader, block: str | None = None
) -> str:
    """A whole template, or one named block of it, in one reader's language and zone."""
    token = _reader.set(reader)
    try:
        if block is None:
            return environment().get_template(template).render(context)
        return render_block(environment(), template, block, dict(context))
    finally:
        _reader.reset(token)
