"""Durations typed by people (vectors "Durations typed by people", S1 to S4), kept in files
and stated in hours."""

import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import pytest
from babel.units import format_unit
from hypothesis import given
from hypothesis import strategies as st

from app.units import (
    HOUR_S,
    MAX_DURATION_S,
    Duration,
    Reason,
    UnitError,
    format_duration,
    hours_text,
    parse_duration,
)

DURATIONS = st.integers(min_value=0, max_value=MAX_DURATION_S)


def refusal(text: object) -> UnitError:
    with pytest.raises(UnitError) as caught:
        parse_duration(text)
    return caught.value


@pytest.mark.parametrize("text", ["1d 6h", "30h", "P1DT6H", "1 Tag 6 Std", "1 ngày 6 giờ"])
def test_thirty_hours(text: str) -> None:
    assert parse_duration(text) == 30 * HOUR_S


@pytest.mark.parametrize("text", ["90m", "PT90M", "1h30", "1,5h", "1.5h", "90 phút"])
def test_one_hour_and_a_half(text: str) -> None:
    assert parse_duration(text) == 90 * 60


def test_a_clock_reading_is_hours_and_minutes() -> None:
    assert parse_duration("2:30") == 150 * 60


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0h", 0),
        ("PT0S", 0),
        ("  30 h  ", 108_000),
        ("30H", 108_000),
        ("1 d, 6 h", 108_000),
        ("1 day and 6 hours", 108_000),
        ("1 Tag und 6 Stunden", 108_000),
        ("1 ngày và 6 giờ", 108_000),
        ("1 ngay 6 gio", 108_000),
        ("1 Tag 16 Std. 48 Min.", 146_880),
        ("1\u00a0d\u202f6\u00a0h", 108_000),
        ("2 weeks", 1_209_600),
        ("P2W", 1_209_600),
        ("PT1,5H", 5_400),
        ("PT1.125H", 4_050),
        ("p1dt6h", 108_000),
        ("1h30m", 5_400),
        ("1 Std 30", 5_400),
        ("1 giờ rưỡi", 5_400),
        ("2 ngày rưỡi", 216_000),
        ("1.5h 30m", 7_200),
        ("0.125h", 450),
        ("1:02:03", 3_723),
        ("72:00", 259_200),
        ("2:30 h", 9_000),
        ("45 giây", 45),
        ("45 Sekunden", 45),
        ("20p", 1_200),
    ],
)
def test_further_spellings(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


def test_letters_may_arrive_decomposed() -> None:
    decomposed = unicodedata.normalize("NFD", "1 ngày 6 giờ 5 phút rưỡi")
    assert parse_duration(decomposed) == 108_330


@pytest.mark.parametrize(
    ("text", "reason", "suggestion"),
    [
        ("48", Reason.NO_UNIT, "48 h"),
        ("1,5", Reason.NO_UNIT, "1,5 h"),
        ("0", Reason.NO_UNIT, "0 h"),
        ("-3h", Reason.NEGATIVE, "3h"),
        ("−3h", Reason.NEGATIVE, "3h"),
        ("-PT3H", Reason.NEGATIVE, "3h"),
        ("-48", Reason.NEGATIVE, "48h"),
        ("-", Reason.NEGATIVE, None),
        ("1h5", Reason.NO_UNIT, "1h 5m"),
        ("1h90", Reason.NO_UNIT, "2h 30m"),
        ("1d6", Reason.NO_UNIT, "30h"),
        ("5s 3", Reason.NO_UNIT, None),
        ("48 30m", Reason.NO_UNIT, None),
        ("6h 1d", Reason.ORDER, "30h"),
        ("1h 1h", Reason.ORDER, "2h"),
        ("0.4s", Reason.NOT_WHOLE_SECONDS, "1s"),
        ("0.1667h", Reason.NOT_WHOLE_SECONDS, "10m"),
        ("P1M", Reason.NO_FIXED_LENGTH, None),
        ("P1Y", Reason.NO_FIXED_LENGTH, None),
        ("1 month", Reason.NO_FIXED_LENGTH, None),
        ("1 Jahr", Reason.NO_FIXED_LENGTH, None),
        ("2 tháng", Reason.NO_FIXED_LENGTH, None),
        ("3 wombats", Reason.UNKNOWN_UNIT, None),
        ("2:60", Reason.NOT_UNDERSTOOD, None),
        ("2:3", Reason.NOT_UNDERSTOOD, None),
        ("P", Reason.NOT_UNDERSTOOD, None),
        ("P1DT", Reason.NOT_UNDERSTOOD, None),
        ("h", Reason.NOT_UNDERSTOOD, None),
        ("30h,", Reason.NOT_UNDERSTOOD, None),
        ("1.234,5h", Reason.NOT_UNDERSTOOD, None),
        ("1½h", Reason.UNKNOWN_UNIT, None),
        ("١h", Reason.NOT_UNDERSTOOD, None),
        ("NaN", Reason.NOT_UNDERSTOOD, None),
        ("", Reason.EMPTY, None),
        (" \t", Reason.EMPTY, None),
        ("9" * 30 + "h", Reason.TOO_LARGE, None),
        ("9" * 30, Reason.NO_UNIT, None),
        ("1" * 65, Reason.TOO_LONG, None),
    ],
)
def test_refused_with_what_was_probably_meant(
    text: str, reason: Reason, suggestion: str | None
) -> None:
    refused = refusal(text)
    assert (refused.reason, refused.suggestion, refused.candidates) == (reason, suggestion, ())


def test_the_question_about_a_lone_number_reads_as_a_question() -> None:
    assert str(refusal("48")).endswith("Did you mean 48 h?")


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("1.125h", ("1125h", "1h 7m 30s")),
        ("1,125 h", ("1125h", "1h 7m 30s")),
        ("1.125", ("1125h", "1h 7m 30s")),
        ("1d 1.500h", ("1524h", "25h 30m")),
    ],
)
def test_a_thousand_or_a_decimal_is_asked_about(text: str, candidates: tuple[str, ...]) -> None:
    refused = refusal(text)
    assert refused.reason is Reason.AMBIGUOUS
    assert refused.candidates == candidates


@pytest.mark.parametrize(
    ("value", "suggestion"),
    [
        (4, "4 h"),
        (2.5, "2.5 h"),
        (True, None),
        (None, None),
        (-1, "1h"),
        (float("nan"), None),
        (1e300, None),
        pytest.param(10**5_000, None, id="huge"),
        ([], None),
    ],
)
def test_a_number_from_a_file_is_refused(value: object, suggestion: str | None) -> None:
    refused = refusal(value)
    assert refused.reason is Reason.NOT_TEXT
    assert refused.suggestion == suggestion


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0h"),
        (108_000, "30h"),
        (259_200, "72h"),
        (2_592_000, "720h"),
        (86_400, "24h"),
        (1_200, "20m"),
        (5_400, "1h 30m"),
        (3_601, "1h 1s"),
        (45, "45s"),
    ],
)
def test_one_canonical_spelling_in_files(seconds: int, text: str) -> None:
    assert format_duration(seconds) == text


def test_files_hold_no_negative_duration() -> None:
    with pytest.raises(UnitError) as caught:
        format_duration(-1)
    assert caught.value.reason is Reason.NEGATIVE


@given(DURATIONS)
def test_format_then_parse_is_identity(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


@given(st.text(max_size=70))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        seconds = parse_duration(text)
    except UnitError as refused:
        offered = (refused.suggestion, *refused.candidates)
        read = [parse_duration(reading) for reading in offered if reading is not None]
        assert all(0 <= each <= MAX_DURATION_S for each in read)
    else:
        assert 0 <= seconds <= MAX_DURATION_S


@given(st.text(alphabet="0123456789.,: -dhmsptDHMPTS½rưỡiờg", max_size=14))
def test_every_offered_reading_can_be_read(text: str) -> None:
    try:
        parse_duration(text)
    except UnitError as refused:
        offered = (refused.suggestion, *refused.candidates)
        assert all(parse_duration(each) >= 0 for each in offered if each is not None)


@given(
    amounts=st.tuples(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59)),
    locale=st.sampled_from(["en", "de", "vi"]),
    length=st.sampled_from(["long", "short", "narrow"]),
)
def test_what_cldr_prints_is_understood(
    amounts: tuple[int, int, int], locale: str, length: Literal["long", "short", "narrow"]
) -> None:
    units = ("duration-day", "duration-hour", "duration-minute")
    printed = " ".join(
        format_unit(n, unit, length=length, locale=locale)
        for n, unit in zip(amounts, units, strict=True)
    )
    days, hours, minutes = amounts
    assert parse_duration(printed) == ((days * 24 + hours) * 60 + minutes) * 60


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0"),
        (37_800, "10.5"),
        (-7_200, "-2"),
        (3 * 86_400, "72"),
        (7 * 86_400, "168"),
        (30 * 86_400, "720"),
        (9, "0.0025"),
        (600, "0.1667"),
        (1_200, "0.3333"),
        (-600, "-0.1667"),
        (-1, "-0.0003"),
        (281_400, "78.1667"),
    ],
)
def test_hours_for_the_api(seconds: int, text: str) -> None:
    assert hours_text(seconds) == text


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_hours_are_exact_where_a_decimal_exists(seconds: int) -> None:
    shown = Fraction(Decimal(hours_text(seconds)))
    exact = Fraction(seconds, HOUR_S)
    if seconds % 9 == 0:
        assert shown == exact
    else:
        assert 0 < abs(shown - exact) < Fraction(1, 20_000)


def test_durations_are_ordered_and_may_be_negative() -> None:
    assert Duration(-21_600) < Duration(0) < Duration(86_400)
