"""Money (vectors E17, E19, E21, E22, E30, S7, S9, S10): read, added, divided, never a float."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.units import (
    CURRENCIES,
    MAX_MINOR,
    Money,
    Reason,
    UnitError,
    amount_text,
    currency_exponent,
    parse_amount,
    per_unit,
)

AMOUNTS = st.integers(min_value=-MAX_MINOR, max_value=MAX_MINOR)
CODES = st.sampled_from(sorted(CURRENCIES))


def refusal(
    text: object, currency: str = "USD", *, strict: bool, signed: bool = False
) -> UnitError:
    with pytest.raises(UnitError) as caught:
        parse_amount(text, currency, strict=strict, signed=signed)
    return caught.value


@pytest.mark.parametrize(
    ("currency", "exponent"),
    [("JPY", 0), ("VND", 0), ("USD", 2), ("EUR", 2), ("KWD", 3), ("CLF", 4)],
)
def test_exponents_of_iso_4217(currency: str, exponent: int) -> None:
    assert currency_exponent(currency) == exponent


def test_the_list_is_whole() -> None:
    assert len(CURRENCIES) == 165
    assert all(len(code) == 3 and code.isascii() and code.isupper() for code in CURRENCIES)
    assert CURRENCIES.isdisjoint({"BGN", "HRK", "DEM", "XAU", "XXX", "XTS"})


@pytest.mark.parametrize(
    ("currency", "reason", "suggestion"),
    [
        ("usd", Reason.UNKNOWN_CURRENCY, "USD"),
        ("BGN", Reason.UNKNOWN_CURRENCY, None),
        ("", Reason.UNKNOWN_CURRENCY, None),
        ("XAU", Reason.NO_MINOR_UNIT, None),
    ],
)
def test_other_codes_are_refused(currency: str, reason: Reason, suggestion: str | None) -> None:
    with pytest.raises(UnitError) as caught:
        currency_exponent(currency)
    assert (caught.value.reason, caught.value.suggestion) == (reason, suggestion)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("47.14", "USD", 4_714),
        ("110", "USD", 11_000),
        ("390.5", "USD", 39_050),
        ("0", "USD", 0),
        ("0.01", "USD", 1),
        ("1234.00", "USD", 123_400),
        ("7071", "JPY", 7_071),
        ("1.234", "KWD", 1_234),
    ],
)
def test_plain_decimals(text: str, currency: str, minor: int, strict: bool) -> None:
    assert parse_amount(text, currency, strict=strict) == minor


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("47,14", 4_714),
        (" 47.14 ", 4_714),
        ("47,1", 4_710),
        ("47.1400", 4_714),
        ("1.234,56", 123_456),
        ("1,234.56", 123_456),
        ("1.234.567", 123_456_700),
        ("1 234,56", 123_456),
        ("1\u202f234,56", 123_456),
        ("1’234.56", 123_456),
        ("1 234", 123_400),
        ("47.14 USD", 4_714),
        ("usd 47,14", 4_714),
    ],
)
def test_forms_take_what_has_one_reading(text: str, minor: int) -> None:
    assert parse_amount(text, "USD", strict=False) == minor


@pytest.mark.parametrize(
    ("text", "currency", "candidates"),
    [
        ("1.234", "USD", ("1234.00", "1.23", "1.24")),
        ("47.145", "USD", ("47145.00", "47.14", "47.15")),
        ("47,145", "USD", ("47145.00", "47.14", "47.15")),
        ("47.140", "USD", ("47140.00", "47.14")),
        ("1,234", "KWD", ("1234.000", "1.234")),
        ("7.000", "JPY", ("7000", "7")),
    ],
)
def test_forms_ask_about_a_thousand_or_a_decimal(
    text: str, currency: str, candidates: tuple[str, ...]
) -> None:
    refused = refusal(text, currency, strict=False)
    assert (refused.reason, refused.candidates) == (Reason.AMBIGUOUS, candidates)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("47.14 EUR", Reason.OTHER_CURRENCY),
        ("$47.14", Reason.NOT_UNDERSTOOD),
        ("1,23,456.00", Reason.NOT_UNDERSTOOD),
        ("1.234.56", Reason.NOT_UNDERSTOOD),
        ("1e3", Reason.NOT_UNDERSTOOD),
        ("NaN", Reason.OTHER_CURRENCY),
        ("47.", Reason.NOT_UNDERSTOOD),
        ("", Reason.EMPTY),
        ("0.145", Reason.TOO_FINE),
        ("1234.567", Reason.TOO_FINE),
        ("-10", Reason.NEGATIVE),
        ("9" * 20, Reason.TOO_LARGE),
        ("9" * 65, Reason.TOO_LONG),
    ],
)
def test_forms_refuse_the_rest(text: str, reason: Reason) -> None:
    assert refusal(text, strict=False).reason is reason


@pytest.mark.parametrize(
    ("text", "reason", "suggestion", "candidates"),
    [
        ("47,14", Reason.NOT_UNDERSTOOD, "47.14", ()),
        ("1.234", Reason.TOO_FINE, None, ("1.23", "1.24")),
        ("47.145", Reason.TOO_FINE, None, ("47.14", "47.15")),
        ("47.140", Reason.TOO_FINE, "47.14", ()),
        (" 47.14", Reason.NOT_UNDERSTOOD, "47.14", ()),
        ("47.14\n", Reason.NOT_UNDERSTOOD, "47.14", ()),
        ("047.14", Reason.NOT_UNDERSTOOD, "47.14", ()),
        ("47.14 USD", Reason.NOT_UNDERSTOOD, "47.14", ()),
        ("+47.14", Reason.NOT_UNDERSTOOD, None, ()),
        (".5", Reason.NOT_UNDERSTOOD, None, ()),
        ("1e2", Reason.NOT_UNDERSTOOD, None, ()),
        ("٤٧", Reason.NOT_UNDERSTOOD, None, ()),
        ("-10.00", Reason.NEGATIVE, "10.00", ()),
        ("", Reason.EMPTY, None, ()),
        ("9" * 20, Reason.TOO_LARGE, None, ()),
    ],
)
def test_the_api_takes_plain_decimals_only(
    text: str, reason: Reason, suggestion: str | None, candidates: tuple[str, ...]
) -> None:
    refused = refusal(text, strict=True)
    assert (refused.reason, refused.suggestion, refused.candidates) == (
        reason,
        suggestion,
        candidates,
    )


def test_the_api_takes_no_decimals_of_a_currency_without_any() -> None:
    refused = refusal("7071.00", "JPY", strict=True)
    assert (refused.reason, refused.suggestion) == (Reason.TOO_FINE, "7071")


@pytest.mark.parametrize(
    ("value", "suggestion"),
    [
        (47.14, "47.14"),
        (47, "47.00"),
        (47.145, None),
        pytest.param(10**5_000, None, id="huge"),
        (float("inf"), None),
        (True, None),
        (None, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_a_json_number_is_refused_and_told_its_string(
    value: object, suggestion: str | None, strict: bool
) -> None:
    refused = refusal(value, strict=strict)
    assert (refused.reason, refused.suggestion) == (Reason.NOT_TEXT, suggestion)


@pytest.mark.parametrize(("text", "strict"), [("-10.00", True), ("-10,00", False), ("− 10", False)])
def test_a_sign_is_taken_where_asked_for(text: str, strict: bool) -> None:
    assert parse_amount(text, "USD", strict=strict, signed=True) == -1_000


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (4_714, "USD", "47.14"),
        (0, "USD", "0.00"),
        (-5, "USD", "-0.05"),
        (-1_000, "USD", "-10.00"),
        (7_071, "JPY", "7071"),
        (-7_071, "JPY", "-7071"),
        (1_234, "KWD", "1.234"),
        (7, "CLF", "0.0007"),
    ],
)
def test_amounts_are_printed_with_all_their_decimals(minor: int, currency: str, text: str) -> None:
    assert amount_text(minor, currency) == text


@given(AMOUNTS, CODES, st.booleans())
def test_print_then_read_is_identity(minor: int, currency: str, strict: bool) -> None:
    text = amount_text(minor, currency)
    assert parse_amount(text, currency, strict=strict, signed=True) == minor


@given(st.text(alphabet="0123456789.,' -−USDE", max_size=16), CODES, st.booleans(), st.booleans())
def test_every_offered_reading_is_taken(
    text: str, currency: str, strict: bool, signed: bool
) -> None:
    try:
        minor = parse_amount(text, currency, strict=strict, signed=signed)
    except UnitError as refused:
        offered = [each for each in (refused.suggestion, *refused.candidates) if each is not None]
        for reading in offered:
            again = parse_amount(reading, currency, strict=strict, signed=signed)
            assert abs(again) <= MAX_MINOR
    else:
        assert signed or minor >= 0


def test_two_lots_cost_twice_one() -> None:
    """S7."""
    lot = Money(4_714, "USD")
    assert lot * 2 == lot + lot == Money(9_428, "USD")
    assert (lot * 2).text == "94.28"


def test_unlike_currencies_are_never_added() -> None:
    """E22."""
    with pytest.raises(UnitError) as caught:
        Money(4_714, "USD") + Money(4_000, "EUR")
    assert caught.value.reason is Reason.UNLIKE_CURRENCIES
    with pytest.raises(UnitError):
        Money(4_714, "USD") - Money(4_000, "EUR")


@pytest.mark.parametrize("minor", [47.14, "4714", True, None])
def test_money_is_whole_minor_units(minor: Any) -> None:
    with pytest.raises(TypeError):
        Money(minor, "USD")


def test_money_has_a_known_currency() -> None:
    with pytest.raises(UnitError):
        Money(4_714, "usd")


@pytest.mark.parametrize("other", [1, 0.5, "1", None])
def test_money_is_added_to_money_only(other: Any) -> None:
    lot = Money(4_714, "USD")
    with pytest.raises(TypeError):
        lot + other
    with pytest.raises(TypeError):
        lot - other


@pytest.mark.parametrize("factor", [0.5, Fraction(1, 2), True, Money(1, "USD")])
def test_money_is_multiplied_by_counts_only(factor: Any) -> None:
    lot = Money(4_714, "USD")
    with pytest.raises(TypeError):
        lot * factor


@pytest.mark.parametrize(
    ("minor", "count", "currency", "exact", "text", "rounded"),
    [
        pytest.param(4_714, 2, "USD", Fraction(2357, 100), "23.57", False, id="S9"),
        pytest.param(3_714, 2, "USD", Fraction(1857, 100), "18.57", False, id="E17"),
        pytest.param(7_071, 2, "JPY", Fraction(7071, 2), "3536", True, id="E19"),
        pytest.param(4_714, 4, "USD", Fraction("11.785"), "11.78", True, id="E21"),
        pytest.param(4_714, 1, "USD", Fraction("47.14"), "47.14", False, id="S11"),
        pytest.param(1_000, 3, "USD", Fraction(10, 3), "3.33", True, id="a third"),
        pytest.param(-1_000, 2, "USD", Fraction(-5), "-5.00", False, id="net refund"),
    ],
)
def test_cost_of_one(
    minor: int, count: int, currency: str, exact: Fraction, text: str, rounded: bool
) -> None:
    each = per_unit(minor, count, currency)
    assert each is not None
    assert (each.exact, each.text, each.rounded) == (exact, text, rounded)


def test_refund_is_subtracted_before_the_ratio() -> None:
    """E17."""
    assert (Money(4_714, "USD") - Money(1_000, "USD")).text == "37.14"


def test_nothing_accepted_is_undefined() -> None:
    """S10: None, never zero; the caller says why."""
    assert per_unit(4_714, 0, "USD") is None


def test_counts_are_not_negative() -> None:
    with pytest.raises(ValueError, match="never negative"):
        per_unit(4_714, -1, "USD")


@given(AMOUNTS, st.integers(min_value=1, max_value=10_000), CODES)
def test_the_exact_ratio_is_kept(minor: int, count: int, currency: str) -> None:
    each = per_unit(minor, count, currency)
    assert each is not None
    scale = 10 ** currency_exponent(currency)
    assert each.exact * count * scale == minor
    assert abs(each.exact * scale - each.minor) <= Fraction(1, 2)
    assert each.rounded == (each.minor * count != minor)
