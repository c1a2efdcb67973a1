"""Bodies as jobs and shells send them: JSON, a form, or nothing; gzip where it is said."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from app.errors import Malformed, TooLarge, WrongType
from app.runs.rules.values import unknown
from app.texts import text

UNPACKED: Final = 16 << 20
"""The most that a packed body may hold."""
_FORM: Final = "application/x-www-form-urlencoded"
_WHOLE: Final = frozenset(
    ["seq", "elapsed_s", "progress", "total", "expect_next_s", "pid", "size", "exit_code", "signal"]
)
_LISTS: Final = frozenset({"gpus", "states", "gone_attempts"})
GROUPS: Final = ("metrics", "links", "not_config", "config")
"""The objects whose members a form gives one by one."""
_GROUPS_INSIDE: Final = frozenset({("config", "params"), ("config", "corpora")})
"""Members of them that are such objects themselves: `config.params.lr=0.1`."""
_PLUS_LOST: Final = re.compile(r"([T ][0-9:.]+) ([0-9]{2}:?[0-9]{2})\Z")
"""The `+` of an offset, which a form reads as a space where it was not written as %2B."""


async def whole_body(receive: Receive) -> bytes:
    """All bytes of a body, whose number the walls have limited; refuses one that broke off."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Malformed(text("The body broke off."), field="body")
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def unpacked(scope: Scope, body: bytes) -> bytes:
    """The body's bytes, unpacked where they came packed."""
    encoding = _header(scope, b"content-encoding")
    if not encoding or encoding == "identity":
        return body
    if encoding.lower() != "gzip":
        said = text("The only content encoding taken here is gzip.")
        raise WrongType(said, field="Content-Encoding", allowed=("gzip",))
    return _gunzipped(body)


def read_body(scope: Scope, raw: bytes) -> Any:
    """What a body says: a JSON value, or a form's fields; an empty body is no field."""
    body = unpacked(scope, raw)
    if not body:
        return {}
    if body[:1] in b"{[" or body.lstrip()[:1] in (b"{", b"["):
        return read_json(body)
    kind = (_header(scope, b"content-type") or _FORM).partition(";")[0].strip().lower()
    if kind == _FORM:
        return _form(body)
    if kind == "application/json":
        return read_json(body)
    said = text("The body is JSON or a form.")
    raise WrongType(said, field="Content-Type", allowed=("application/json", _FORM))


def _header(scope: Scope, name: bytes) -> str | None:
    for key, value in scope["headers"]:
        if key == name:
            said: str = value.decode("latin-1")
            return said
    return None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as Python keeps it; of a name that is there twice nobody knows which one counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _twice(next(name for name in names if names.count(name) > 1))
    return found


_decode: Final = json.JSONDecoder(object_pairs_hook=_each_once).decode


def _twice(name: str) -> Malformed:
    shown = unknown(name, ()).field
    return Malformed(text("{field} is there more than once.", field=shown), field=shown)


def read_json(body: bytes) -> Any:
    """A JSON value; bare NaN and Infinity are taken, since jobs write them."""
    try:
        return _decode(body.decode())
    except RecursionError:
        raise Malformed(text("The body is nested too deeply."), field="body") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise Malformed(text("The body is not JSON."), field="body") from None
    except ValueError:  # thousands of digits, which Python does not read
        raise Malformed(text("The body: a number is too long."), field="body") from None


def _gunzipped(body: bytes) -> bytes:
    engine = zlib.decompressobj(wbits=31)
    try:
        found = engine.decompress(body, UNPACKED + 1)
    except zlib.error:
        raise Malformed(text("The body is not gzip."), field="body") from None
    if len(found) > UNPACKED:
        raise TooLarge(text("The body is over the limit of {n} bytes.", n=UNPACKED))
    if not engine.eof:
        raise Malformed(text("The body is not gzip."), field="body")
    return found


def _form(body: bytes) -> dict[str, Any]:
    """A form's fields with the types of the JSON; `metrics.loss=0.3` is a member of `metrics`."""
    try:
        pairs = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=1000
        )
    except ValueError:
        raise Malformed(text("The body is not a form."), field="body") from None
    found: dict[str, Any] = {}
    seen: set[str] = set()
    for name, value in pairs:
        if name in seen:
            raise _twice(name)
        seen.add(name)
        if value == "":
            found.setdefault(name, None)
            continue
        group, _, member = name.partition(".")
        if member and group in GROUPS:
            _put(_members(found, group), group, member, value)
        else:
            found[name] = _typed(name, value)
    return found


def _members(found: dict[str, Any], group: str, field: str | None = None) -> dict[str, Any]:
    """The object that `group.member=…` fills; refused where `group=…` said something else."""
    members = found.get(group)
    if members is None:
        members = found[group] = {}
    if not isinstance(members, dict):
        said = field or group
        raise Malformed(text("{field} is an object.", field=said), field=said)
    return members


def _put(members: dict[str, Any], group: str, member: str, value: str) -> None:
    """Put a value into an object, or into the object inside that its name leads to."""
    inside, _, name = member.partition(".")
    if name and (group, inside) in _GROUPS_INSIDE:
        members, group, member = _members(members, inside, f"{group}.{inside}"), inside, name
    if member in members:
        raise _twice(f"{group}.{member}")
    members[member] = value


def _typed(name: str, value: str) -> Any:
    if value[:1] in "{[":
        return read_json(value.encode())
    if name == "at":
        return _PLUS_LOST.sub(r"\1+\2", value)
    if name in _WHOLE:
        return int(value) if _is_whole(value) else value
    if name == "write_s":
        return float(value) if value.replace(".", "", 1).isdecimal() else value
    if name in _LISTS:
        items = [item.strip() for item in value.split(",")]
        return [int(item) if _is_whole(item) else item for item in items]
    if name == "takeover":
        return {"true": True, "false": False}.get(value, value)
    return value


def _is_whole(value: str) -> bool:
    digits = value.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= 19


def events_in(body: Any, most: int) -> list[Mapping[str, Any]]:
    """The events of a batch."""
    if not isinstance(body, Mapping) or not isinstance(body.get("events"), list):
        said = text("The body is an object with a list of events.")
        raise Malformed(said, field="events")
    for name in body:
        if name != "events":
            wrong = unknown(str(name), ("events",))
            raise Malformed(wrong.said, field=wrong.field, allowed=wrong.allowed)
    events: list[Mapping[str, Any]] = body["events"]
    if not events:
        raise Malformed(text("A batch holds at least one event."), field="events")
    if len(events) > most:
        raise TooLarge(text("A batch holds at most {n} events.", n=most), field="events")
    return events
