"""Units that every room shares: durations, money, instants, and how texts of them are read.

Standard library only; the domain files of all rooms may import it.
"""

from app.units.currencies import CURRENCIES, currency_exponent
from app.units.durations import (
    DAY_S,
    HOUR_S,
    MAX_DURATION_S,
    MINUTE_S,
    Duration,
    format_duration,
    hours_text,
    parse_duration,
)
from app.units.instants import (
    Ambiguous,
    Missing,
    Resolved,
    Span,
    add,
    instant_text,
    is_plausible,
    parse_instant,
    parse_local,
    resolve_local,
    stored_instant,
    to_utc,
    zone,
)
from app.units.money import (
    MAX_MINOR,
    Money,
    PerUnit,
    amount_text,
    parse_amount,
    per_unit,
)
from app.units.refusal import SENTENCES, Reason, UnitError

__all__ = [
    "CURRENCIES",
    "DAY_S",
    "HOUR_S",
    "MAX_DURATION_S",
    "MAX_MINOR",
    "MINUTE_S",
    "SENTENCES",
    "Ambiguous",
    "Duration",
    "Missing",
    "Money",
    "PerUnit",
    "Reason",
    "Resolved",
    "Span",
    "UnitError",
    "add",
    "amount_text",
    "currency_exponent",
    "format_duration",
    "hours_text",
    "instant_text",
    "is_plausible",
    "parse_amount",
    "parse_duration",
    "parse_instant",
    "parse_local",
    "per_unit",
    "resolve_local",
    "stored_instant",
    "to_utc",
    "zone",
]
