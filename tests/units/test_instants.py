"""Time (vectors E1, E2, E6, E7, E11, E12, E15): offsets, clock changes, half-open spans."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.units import (
    HOUR_S,
    Ambiguous,
    Missing,
    Reason,
    Resolved,
    Span,
    UnitError,
    add,
    instant_text,
    parse_instant,
    parse_local,
    resolve_local,
    stored_instant,
    to_utc,
    zone,
)

BERLIN = "Europe/Berlin"
ZONES = st.sampled_from(
    [BERLIN, "Asia/Ho_Chi_Minh", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]
)
INSTANTS = st.datetimes(
    min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC)
)


def at(hours: float) -> datetime:
    return datetime(2026, 12, 1, 8, tzinfo=UTC) + timedelta(hours=hours)


def span(start: float, end: float) -> Span:
    return Span(at(start), at(end))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z"),
        ("2026-11-30T08:00:00+01:00", "2026-11-30T07:00:00Z"),
        ("2026-11-30 08:00+0100", "2026-11-30T07:00:00Z"),
        ("2026-11-30t08:00:00z", "2026-11-30T08:00:00Z"),
        ("2026-11-30T08:00:00-03:30", "2026-11-30T11:30:00Z"),
        ("2026-11-30T08:00:00.5Z", "2026-11-30T08:00:00.500000Z"),
        ("2026-11-30T08:00:00.123456789Z", "2026-11-30T08:00:00.123456Z"),
    ],
)
def test_instants_are_read_into_utc(text: str, canonical: str) -> None:
    parsed = parse_instant(text)
    assert parsed.tzinfo is UTC
    assert instant_text(parsed) == canonical


@pytest.mark.parametrize(
    ("text", "reason", "suggestion"),
    [
        ("2026-12-01T08:00:00", Reason.NO_OFFSET, "2026-12-01T08:00:00Z"),
        ("2026-12-01", Reason.NO_TIME, None),
        ("2026-02-30T08:00:00Z", Reason.NOT_A_TIME, None),
        ("2026-12-01T24:00:00Z", Reason.NOT_A_TIME, None),
        ("2026-12-01T08:00:60Z", Reason.NOT_A_TIME, None),
        ("2026-12-01T08:00:00+24:00", Reason.NOT_A_TIME, None),
        ("2026-12-01T08:00:00+01:60", Reason.NOT_A_TIME, None),
        ("2026-12-01T08:00:00 Europe/Berlin", Reason.NOT_A_TIME, None),
        ("1764576000", Reason.NOT_A_TIME, None),
        ("tomorrow", Reason.NOT_A_TIME, None),
        ("0001-01-01T00:00:00+01:00", Reason.OUT_OF_RANGE, None),
        ("9999-12-31T23:00:00-05:00", Reason.OUT_OF_RANGE, None),
        ("9999-12-31T23:59:59Z", Reason.OUT_OF_RANGE, None),
        ("0026-12-01T08:00:00Z", Reason.OUT_OF_RANGE, None),
        ("1969-12-31T23:59:59Z", Reason.OUT_OF_RANGE, None),
        ("2199-12-31T23:59:59-00:01", Reason.OUT_OF_RANGE, None),
        ("", Reason.EMPTY, None),
        (1764576000, Reason.NOT_TEXT, None),
    ],
)
def test_instants_without_an_offset_or_a_sense_are_refused(
    text: object, reason: Reason, suggestion: str | None
) -> None:
    with pytest.raises(UnitError) as caught:
        parse_instant(text)
    assert (caught.value.reason, caught.value.suggestion) == (reason, suggestion)


@given(INSTANTS)
def test_print_then_read_is_identity(instant: datetime) -> None:
    assert parse_instant(instant_text(instant)) == instant


@given(st.text(max_size=70) | st.text(alphabet="0129-:T.Zz+ ", min_size=16, max_size=30))
def test_any_text_is_an_instant_or_refused(text: str) -> None:
    with suppress(UnitError):
        assert parse_instant(text).utcoffset() == timedelta(0)


@pytest.mark.parametrize("written", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00.000001Z"])
def test_the_record_is_read_whatever_its_year(written: str) -> None:
    """What is refused today may have been taken once; the record must still be read."""
    assert instant_text(stored_instant(written)) == written
    with pytest.raises(UnitError):
        parse_instant(written)


@pytest.mark.parametrize("written", ["2026-12-01T08:00:00+01:00", "2026-12-01", "soon", None])
def test_the_record_holds_instants_in_utc_only(written: object) -> None:
    with pytest.raises(UnitError):
        stored_instant(written)


def test_a_naive_time_is_no_instant() -> None:
    for refuse in (to_utc, instant_text):
        with pytest.raises(UnitError) as caught:
            refuse(datetime(2026, 12, 1, 8))
        assert caught.value.reason is Reason.NO_OFFSET


def test_a_lot_across_the_end_of_summer_time() -> None:
    """E1."""
    start = datetime(2026, 10, 24, 18, tzinfo=ZoneInfo(BERLIN))
    end = add(start, 72 * HOUR_S)
    assert instant_text(end) == "2026-10-27T16:00:00Z"
    assert end.astimezone(ZoneInfo(BERLIN)).isoformat() == "2026-10-27T17:00:00+01:00"


def test_a_lot_across_the_start_of_summer_time() -> None:
    """E2."""
    start = datetime(2027, 3, 27, 18, tzinfo=ZoneInfo(BERLIN))
    end = add(start, 72 * HOUR_S)
    assert end.astimezone(ZoneInfo(BERLIN)).isoformat() == "2027-03-30T19:00:00+02:00"


def test_adding_leaves_the_calendar_with_a_refusal() -> None:
    with pytest.raises(UnitError) as caught:
        add(at(0), 10**15)
    assert caught.value.reason is Reason.OUT_OF_RANGE


def test_a_local_time_that_happens_twice_is_asked_about() -> None:
    """E6."""
    local = parse_local("2026-10-25T02:30")
    first, second = parse_instant("2026-10-25T00:30Z"), parse_instant("2026-10-25T01:30Z")
    assert resolve_local(local, BERLIN) == Ambiguous(first, second)
    assert resolve_local(local, BERLIN, fold=0) == Resolved(first)
    assert resolve_local(local, BERLIN, fold=1) == Resolved(second)


@pytest.mark.parametrize("fold", [None, 0, 1])
def test_a_local_time_that_never_happens_names_its_neighbours(fold: int | None) -> None:
    """E7."""
    missing = resolve_local(parse_local("2027-03-28T02:30"), BERLIN, fold)
    assert missing == Missing(datetime(2027, 3, 28, 1, 59), datetime(2027, 3, 28, 3, 0))


@pytest.mark.parametrize(
    ("local", "zone_name", "before", "after"),
    [
        ("2027-03-28T02:00", BERLIN, "2027-03-28T01:59", "2027-03-28T03:00"),
        ("2027-03-28T02:59:59.9", BERLIN, "2027-03-28T01:59", "2027-03-28T03:00"),
        ("2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-04T01:59", "2026-10-04T02:30"),
        ("2011-12-30T12:00", "Pacific/Apia", "2011-12-29T23:59", "2011-12-31T00:00"),
    ],
)
def test_gaps_of_any_width(local: str, zone_name: str, before: str, after: str) -> None:
    expected = Missing(parse_local(before), parse_local(after))
    assert resolve_local(parse_local(local), zone_name) == expected


@pytest.mark.parametrize(
    ("local", "instant"),
    [
        ("2026-10-25T01:59", "2026-10-24T23:59Z"),
        ("2026-10-25T03:00", "2026-10-25T02:00Z"),
        ("2027-03-28T01:59", "2027-03-28T00:59Z"),
        ("2027-03-28T03:00", "2027-03-28T01:00Z"),
    ],
)
@pytest.mark.parametrize("fold", [None, 0, 1])
def test_next_to_a_change_the_local_time_is_plain(
    local: str, instant: str, fold: int | None
) -> None:
    assert resolve_local(parse_local(local), BERLIN, fold) == Resolved(parse_instant(instant))


@given(INSTANTS, ZONES)
def test_every_instant_is_found_again_by_its_local_time(instant: datetime, name: str) -> None:
    local = instant.astimezone(ZoneInfo(name))
    naive = local.replace(tzinfo=None, fold=0)
    match resolve_local(naive, name):
        case Resolved(found):
            assert found == instant
        case Ambiguous(first_at, second_at):
            assert instant == (second_at if local.fold else first_at)
            assert first_at < second_at
        case Missing():
            pytest.fail("an instant's own local time exists")


def test_local_times_carry_no_offset() -> None:
    with pytest.raises(UnitError) as caught:
        parse_local("2026-10-25T02:30+02:00")
    assert caught.value.reason is Reason.HAS_OFFSET
    assert caught.value.suggestion == "2026-10-25T02:30"
    with pytest.raises(UnitError) as caught:
        resolve_local(at(0), BERLIN)
    assert caught.value.reason is Reason.HAS_OFFSET


@pytest.mark.parametrize("naive", [datetime.min, datetime.max, datetime(1969, 12, 31, 23, 59)])
def test_the_edge_of_the_calendar_is_refused(naive: datetime) -> None:
    with pytest.raises(UnitError) as caught:
        resolve_local(naive, BERLIN)
    assert caught.value.reason is Reason.OUT_OF_RANGE


def test_what_is_taken_can_be_shown_in_every_zone() -> None:
    for taken in ("1970-01-01T00:00:00Z", "2199-12-31T23:59:59Z"):
        for name in ("Etc/GMT+12", "Etc/GMT-14"):
            assert parse_instant(taken).astimezone(zone(name)).utcoffset() is not None


@pytest.mark.parametrize("name", [BERLIN, "Asia/Ho_Chi_Minh", "UTC", "Etc/GMT+5"])
def test_zones_by_their_name(name: str) -> None:
    assert zone(name).key == name


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("europe/berlin", BERLIN),
        ("Europe/Berln", BERLIN),
        ("Middle-earth/Shire", None),
        ("", None),
        ("../etc/passwd", None),
        ("/etc/localtime", None),
        ("Europe", None),
        ("Factory", None),
        ("X" * 500, None),
    ],
)
def test_unknown_zones_are_refused(name: str, suggestion: str | None) -> None:
    with pytest.raises(UnitError) as caught:
        zone(name)
    assert caught.value.reason is Reason.UNKNOWN_ZONE
    if suggestion is not None:
        assert caught.value.suggestion == suggestion


@pytest.mark.parametrize("name", ["localtime", "posixrules", "right/Europe/Berlin"])
def test_zones_that_depend_on_the_machine_are_refused(name: str) -> None:
    with pytest.raises(UnitError):
        zone(name)


def test_spans_that_touch_do_not_overlap() -> None:
    """E12."""
    first = span(0, 10)
    assert not first.overlaps(span(10, 20))
    assert not span(10, 20).overlaps(first)
    assert first.overlaps(Span(at(10) - timedelta(minutes=1), at(20)))
    assert first.contains(at(0))
    assert not first.contains(at(10))


def test_an_empty_span_may_stand_at_the_end_of_a_lot() -> None:
    """E11."""
    lot = span(0, 72)
    assert lot.holds(span(72, 72))
    assert not lot.holds(Span(at(72), at(72) + timedelta(minutes=1)))
    assert not lot.overlaps(span(10, 10))


def test_a_run_is_cut_at_the_end_of_its_lot() -> None:
    """E15: 66 + 10 hours in a lot of 72."""
    lot, run = span(0, 72), span(66, 76)
    assert not lot.holds(run)
    assert lot.common(run) == span(66, 72)
    assert run.seconds - span(66, 72).seconds == 4 * HOUR_S
    assert lot.common(span(72, 80)) is None


def test_a_span_across_a_clock_change_counts_elapsed_time() -> None:
    place = ZoneInfo(BERLIN)
    night = Span(datetime(2026, 10, 24, 18, tzinfo=place), datetime(2026, 10, 25, 18, tzinfo=place))
    assert night.seconds == 25 * HOUR_S
    assert night.starts_at.tzinfo is UTC


def test_a_span_never_ends_before_it_starts() -> None:
    with pytest.raises(UnitError) as caught:
        span(1, 0)
    assert caught.value.reason is Reason.ENDS_BEFORE_START
    with pytest.raises(UnitError):
        Span(datetime(2026, 12, 1), at(0))


def test_spans_compare_by_instant_not_by_zone() -> None:
    shifted = timezone(timedelta(hours=7))
    assert Span(at(0).astimezone(shifted), at(1).astimezone(shifted)) == span(0, 1)


@given(*[st.integers(min_value=0, max_value=40)] * 4)
def test_overlap_is_a_shared_hour(a: int, b: int, c: int, d: int) -> None:
    one, two = span(min(a, b), max(a, b)), span(min(c, d), max(c, d))
    shared = set(range(min(a, b), max(a, b))) & set(range(min(c, d), max(c, d)))
    assert one.overlaps(two) == two.overlaps(one) == bool(shared)
    common = one.common(two)
    assert (common.seconds if common else 0) == len(shared) * HOUR_S
