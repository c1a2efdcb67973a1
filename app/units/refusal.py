"""The one error of this package: why a text is not a duration, an amount or an instant.

It carries a reason for programs, readings to offer a person, and an English sentence
that the edge can translate.
"""

from __future__ import annotations

import unicodedata
from enum import StrEnum

GIVEN_LENGTH = 80
"""An error never echoes more than this many characters of what was typed."""

TYPED_LENGTH = 64
"""The longest text that is read at all; no duration, amount or instant needs more."""


def N_(msgid: str) -> str:
    """Marks a sentence for the catalogues and returns it unchanged."""
    return msgid


class Reason(StrEnum):
    """Why a text was refused; the values are stable and appear in the API."""

    EMPTY = "empty"
    NOT_TEXT = "not_text"
    TOO_LONG = "too_long"
    NOT_UNDERSTOOD = "not_understood"
    NO_UNIT = "no_unit"
    NEGATIVE = "negative"
    AMBIGUOUS = "ambiguous"
    UNKNOWN_UNIT = "unknown_unit"
    NO_FIXED_LENGTH = "no_fixed_length"
    ORDER = "order"
    NOT_WHOLE_SECONDS = "not_whole_seconds"
    TOO_LARGE = "too_large"
    TOO_FINE = "too_fine"
    UNKNOWN_CURRENCY = "unknown_currency"
    NO_MINOR_UNIT = "no_minor_unit"
    UNLIKE_CURRENCIES = "unlike_currencies"
    OTHER_CURRENCY = "other_currency"
    NO_OFFSET = "no_offset"
    HAS_OFFSET = "has_offset"
    NO_TIME = "no_time"
    NOT_A_TIME = "not_a_time"
    OUT_OF_RANGE = "out_of_range"
    UNKNOWN_ZONE = "unknown_zone"
    ENDS_BEFORE_START = "ends_before_start"


SENTENCES: dict[Reason, str] = {
    Reason.EMPTY: N_("Nothing was entered."),
    Reason.NOT_TEXT: N_("{given} must be sent as text in quotes, not as a number."),
    Reason.TOO_LONG: N_("This text is too long."),
    Reason.NOT_UNDERSTOOD: N_("“{given}” is not understood."),
    Reason.NO_UNIT: N_("“{given}” has a number without a unit."),
    Reason.NEGATIVE: N_("“{given}” is negative."),
    Reason.AMBIGUOUS: N_("“{given}” can be read in more than one way."),
    Reason.UNKNOWN_UNIT: N_("“{given}” has an unknown unit."),
    Reason.NO_FIXED_LENGTH: N_("“{given}”: months and years have no fixed length."),
    Reason.ORDER: N_("“{given}”: the larger unit comes first and each unit only once."),
    Reason.NOT_WHOLE_SECONDS: N_("“{given}” is not a whole number of seconds."),
    Reason.TOO_LARGE: N_("“{given}” is too large."),
    Reason.TOO_FINE: N_("“{given}” has more decimals than the currency."),
    Reason.UNKNOWN_CURRENCY: N_("“{given}” is not a current currency code of ISO 4217."),
    Reason.NO_MINOR_UNIT: N_("“{given}” is not a currency in which prices are stated."),
    Reason.UNLIKE_CURRENCIES: N_("Amounts in different currencies are never added: {given}."),
    Reason.OTHER_CURRENCY: N_("“{given}” names another currency."),
    Reason.NO_OFFSET: N_("“{given}” does not say its offset from UTC."),
    Reason.HAS_OFFSET: N_("“{given}” must be a local time without an offset."),
    Reason.NO_TIME: N_("“{given}” is a date without a time."),
    Reason.NOT_A_TIME: N_("“{given}” is not a date and time."),
    Reason.OUT_OF_RANGE: N_("“{given}” is outside the years 1970 to 2199."),
    Reason.UNKNOWN_ZONE: N_("“{given}” is not a known time zone."),
    Reason.ENDS_BEFORE_START: N_("The end is before the start: {given}."),
}


class UnitError(ValueError):
    """A text that is refused.

    `suggestion` is the one thing that was probably meant, `candidates` are readings among
    which a person must choose; the function that refused accepts each of them.
    """

    def __init__(
        self,
        reason: Reason,
        given: object,
        *,
        suggestion: str | None = None,
        candidates: tuple[str, ...] = (),
    ) -> None:
        self.reason = reason
        self.given = _shown(given)
        self.suggestion = suggestion
        self.candidates = candidates
        super().__init__(reason, self.given, suggestion, candidates)

    @property
    def msgid(self) -> str:
        """The untranslated sentence about the problem; it takes `params`."""
        return SENTENCES[self.reason]

    @property
    def params(self) -> dict[str, str]:
        """What the placeholders of `msgid` stand for."""
        return {"given": self.given}

    def __str__(self) -> str:
        said = self.msgid.replace("{given}", self.given)
        if self.suggestion is not None:
            return f"{said} Did you mean {self.suggestion}?"
        if self.candidates:
            return f"{said} Which one: {' · '.join(self.candidates)}?"
        return said


def _shown(given: object) -> str:
    """At most `GIVEN_LENGTH` characters on one line, control characters made visible."""
    try:
        text = str(given)
    except ValueError:  # an integer beyond the interpreter's limit of digits
        text = f"{type(given).__name__} …"
    cut = text if len(text) <= GIVEN_LENGTH else text[: GIVEN_LENGTH - 1] + "…"
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in cut)


def typed(text: object) -> str:
    """The text composed (NFC) and without outer spaces; raises UnitError if there is none."""
    if not isinstance(text, str):
        raise UnitError(Reason.NOT_TEXT, text)
    if len(text) > TYPED_LENGTH:
        raise UnitError(Reason.TOO_LONG, text)
    composed = unicodedata.normalize("NFC", text).strip()
    if not composed:
        raise UnitError(Reason.EMPTY, text)
    return composed
