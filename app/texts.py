"""Sentences that people will read, kept apart from the language they are read in.

Rules, commands and errors build a `Text`; only the edge (`app.language`) turns it into English,
German or Vietnamese. Placeholders are `{name}`; values keep their type, so that amounts, dates
and durations are written as each language writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from app.units import Duration, Money, instant_text, stored_instant


@dataclass(frozen=True, slots=True)
class Text:
    """A message id with its typed values; `plural` and `count` choose a plural form."""

    msgid: str
    values: Mapping[str, object] = field(default_factory=dict)
    plural: str | None = None
    count: int | None = None

    def __str__(self) -> str:
        """The English text with plain values: what logs and the API say."""
        template = self.msgid
        if self.plural is not None and self.count != 1:
            template = self.plural
        return template.format_map({name: plain(value) for name, value in self.values.items()})


def text(msgid: str, /, **values: object) -> Text:
    """A sentence; the msgid is also what the catalogues are keyed by."""
    return Text(msgid, values)


def ntext(singular: str, plural: str, count: int, /, **values: object) -> Text:
    """A sentence with a plural form; `{n}` stands for the count."""
    return Text(singular, {"n": count, **values}, plural, count)


def plain(value: object) -> str:
    """A value in plain English, without any locale data."""
    match value:
        case Duration():
            return _plain_duration(value.seconds)
        case Money():
            return f"{value.text} {value.currency}"
        case datetime():
            return value.strftime("%a %d %b %Y, %H:%M %Z")
        case date():
            return value.isoformat()
        case Decimal() | Fraction():
            return str(value)
        case tuple() | list():
            return ", ".join(plain(item) for item in value)
        case _:
            return str(value)


def _plain_duration(seconds: int) -> str:
    """At most two units, the larger first: `1 d 16 h`, `24 h`, `18 h 24 min`, `40 s`."""
    minutes, rest = divmod(abs(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 24 or (hours == 24 and not minutes):
        return " ".join(
            part
            for part in (f"{hours} h" if hours else "", f"{minutes} min" if minutes else "")
            if part
        )
    days, hours = divmod(hours, 24)
    return " ".join(part for part in (f"{days} d", f"{hours} h" if hours else "") if part)


def sentence_record(said: Text) -> dict[str, object]:
    """A sentence as JSON that keeps its values' types, for the journal and for sealed plans.

    Raises TypeError for a value that no sentence of the record may hold.
    """
    record: dict[str, object] = {"msgid": said.msgid}
    if said.values:
        record["values"] = {name: _kept(value) for name, value in said.values.items()}
    if said.plural is not None:
        record |= {"plural": said.plural, "count": said.count}
    return record


def sentence_of(record: Mapping[str, Any]) -> Text:
    """The sentence that `sentence_record` kept."""
    values = {name: _recalled(value) for name, value in record.get("values", {}).items()}
    return Text(record["msgid"], values, record.get("plural"), record.get("count"))


def _kept(value: object) -> object:
    match value:
        case Text():
            return {"said": sentence_record(value)}
        case Duration():
            return {"seconds": value.seconds}
        case Money():
            return {"minor": value.minor, "currency": value.currency}
        case datetime():
            return {"at": instant_text(value)}
        case Decimal() | Fraction():
            return {"figure": str(value)}
        case tuple() | list():
            return [_kept(item) for item in value]
        case str() | int() | None:
            return value
        case _:
            raise TypeError(f"{value!r} is no value of a sentence that is kept")


def _recalled(value: Any) -> object:
    if isinstance(value, list):
        return tuple(_recalled(item) for item in value)
    if not isinstance(value, dict):
        return value
    if "said" in value:
        return sentence_of(value["said"])
    if "seconds" in value:
        return Duration(value["seconds"])
    if "minor" in value:
        return Money(value["minor"], value["currency"])
    if "at" in value:
        return stored_instant(value["at"])
    return Fraction(value["figure"]) if "/" in value["figure"] else Decimal(value["figure"])
