"""How one reader reads: a language and a zone, and every value written their way (CLDR)."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.numbers import format_decimal
from markupsafe import Markup, escape

from app.language.catalogues import catalogue
from app.texts import Text
from app.units import Duration, Money, currency_exponent

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


class Reader:
    """Says texts and values in one language, instants in one zone."""

    def __init__(self, language: str, zone: str = "UTC") -> None:
        self.language = language
        self.zone = zone
        self._zone = ZoneInfo(zone)
        self._locale = Locale.parse(language)
        self._messages = catalogue(language)

    def in_zone(self, zone: str) -> Reader:
        """The same language, instants in another zone."""
        return reader(self.language, zone)

    def translate(self, msgid: str, /, **values: object) -> str:
        """A sentence from templates, `_("… {name} …", name=value)`."""
        return self._fill(self._messages.gettext(msgid), values)

    def plural(self, singular: str, plural: str, count: int, /, **values: object) -> str:
        """A counted sentence from templates; `{n}` is the count."""
        return self._fill(self._messages.ngettext(singular, plural, count), {"n": count, **values})

    def say(self, said: object) -> str:
        """A `Text`, or any typed value, in this language."""
        if not isinstance(said, Text):
            return self.value(said)
        if said.plural is not None:
            template = self._messages.ngettext(said.msgid, said.plural, said.count or 0)
        else:
            template = self._messages.gettext(said.msgid)
        return self._fill(template, said.values)

    def value(self, value: object) -> str:
        """One value as this language writes it; strings stay as they are."""
        match value:
            case Text():
                return self.say(value)
            case Duration():
                return self.duration(value.seconds, some=value.some)
            case Money():
                return self.money(value.minor, value.currency)
            case datetime():
                return self.when(value)
            case date():
                return self.day(value)
            case str():
                return value
            case int() | Decimal() | Fraction():
                return self.number(value)
            case tuple() | list():
                return ", ".join(self.value(item) for item in value)
            case _:
                return str(value)

    def when(self, at: datetime, *, year: bool = False, zone: bool = False) -> str:
        """An instant: `Wed, 2 Dec, 13:36`; with the year or the zone's name when asked."""
        said = _moment(at.astimezone(self._zone).replace(tzinfo=None), self.language, year)
        return f"{said} ({self.zone})" if zone else said

    def day(self, on: date) -> str:
        """A date with its weekday: `Wed, 2 Dec 2026`."""
        return f"{_day_label(on, self.language)} {on.year}"

    def clock_time(self, at: datetime) -> str:
        """The time of day alone: `13:36`."""
        return at.astimezone(self._zone).strftime("%H:%M")

    def weekday(self, on: date) -> str:
        """A day label for an axis: `Wed, 2 Dec`."""
        return _day_label(on, self.language)

    def weekday_short(self, on: date) -> str:
        """A shorter one for a phone: `Wed 2`."""
        return f"{format_date(on, 'EEE', locale=self._locale)} {on.day}"

    def duration(
        self, seconds: int | None, *, exact: bool = False, sign: bool = False, some: bool = False
    ) -> str:
        """At most two units (all when exact): `1 d 16 h`, `24 h`, `18 h 24 min`, `40 s`; with its
        sign when asked (`+1 h 6 min`, `±0 h`); a dash when unknown; `< 1 s` for less than a second
        of what took place (`some`), `0 h` for nothing. One pattern everywhere."""
        if seconds is None:
            return "–"
        if some and seconds == 0:
            return "< " + self.plural("{n} s", "{n} s", 1)
        before = "−" if seconds < 0 else ("+" if seconds else "±") if sign else ""
        rest = abs(seconds)
        if rest >= 2 * _DAY and not exact:
            rest = round(rest / _HOUR) * _HOUR
        elif rest >= 10 * _MINUTE and not exact:
            rest = round(rest / _MINUTE) * _MINUTE
        days, rest = divmod(rest, _DAY) if rest > _DAY else (0, rest)
        hours, rest = divmod(rest, _HOUR)
        minutes, rest = divmod(rest, _MINUTE)
        parts = [
            self.plural("{n} d", "{n} d", days) if days else "",
            self.plural("{n} h", "{n} h", hours) if hours else "",
            self.plural("{n} min", "{n} min", minutes) if minutes else "",
            self.plural("{n} s", "{n} s", rest) if rest else "",
        ]
        said = [part for part in parts if part]
        kept = said if exact else said[:2]
        return before + (" ".join(kept) if kept else self.plural("{n} h", "{n} h", 0))

    def hours(self, seconds: int) -> str:
        """A place on the plan's own clock, with one decimal: `0.0 h`, `49.5 h`."""
        figure = (Decimal(seconds) / _HOUR).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
        return f"{_figure(figure, '#,##0.0', self.language)} h"

    def money(self, minor: int, currency: str) -> str:
        """An amount with its code after it: `47.14 USD`, `47,14 USD`."""
        exponent = currency_exponent(currency)
        figure = Decimal(minor).scaleb(-exponent)
        pattern = "#,##0" + ("." + "0" * exponent if exponent else "")
        return f"{_figure(figure, pattern, self.language)} {currency}"

    def number(self, figure: int | Decimal | Fraction) -> str:
        """A plain number with this language's separators, at most six decimals."""
        if isinstance(figure, Fraction):
            figure = Decimal(figure.numerator) / Decimal(figure.denominator)
        return _figure(Decimal(figure), "#,##0.######", self.language)

    def _fill(self, template: str, values: Mapping[str, object]) -> str:
        """Put the values in; where one is markup the sentence becomes markup, the rest escaped."""
        said = {name: self.value(value) for name, value in values.items()}
        if any(isinstance(value, Markup) for value in said.values()):
            return Markup(escape(template)).format_map(said)
        return template.format_map(said)


@functools.lru_cache(maxsize=512)
def reader(language: str, zone: str = "UTC") -> Reader:
    """The shared reader of a language and a zone."""
    return Reader(language, zone)


@functools.lru_cache(maxsize=8192)
def _figure(figure: Decimal, pattern: str, language: str) -> str:
    """A decimal by a CLDR pattern, with a true minus; the same few figures stand on every page."""
    return str(format_decimal(figure, pattern, locale=language)).replace("-", "−")


@functools.lru_cache(maxsize=4096)
def _moment(local: datetime, language: str, year: bool) -> str:
    day = _day_label(local.date(), language)
    if year:
        day = f"{day}, {local.year}" if language != "de" else f"{day} {local.year}"
    clock = f"{local:%H:%M}"
    return f"{day}, {clock} Uhr" if language == "de" else f"{day}, {clock}"


@functools.lru_cache(maxsize=4096)
def _day_label(on: date, language: str) -> str:
    if language == "en":
        return format_date(on, "EEE, d MMM", locale="en_GB")
    return str(format_skeleton("MMMEd", datetime(on.year, on.month, on.day), locale=language))
