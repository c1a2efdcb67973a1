"""Reading forms: one reading is taken, two are asked about, what never happens is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from app.orders.rules import Amount, fold_of, local_text, read_amount, read_day, read_local
from app.texts import Text

BERLIN = "Europe/Berlin"


@pytest.mark.parametrize("typed", ["47.14", "47,14", " 47.14 USD ", "USD 47,14"])
def test_an_amount_in_either_spelling_is_the_same(typed: str) -> None:
    """E30: both decimal signs are right in any language."""
    assert read_amount(typed, "USD") == Amount(4714)


@pytest.mark.parametrize(
    ("typed", "readings"),
    [("1.234", ("1234.00", "1.23", "1.24")), ("47.145", ("47145.00", "47.14", "47.15"))],
)
def test_an_amount_with_several_readings_is_asked_about(
    typed: str, readings: tuple[str, ...]
) -> None:
    """E30: asked in forms; the reading that was chosen is then taken, and no other."""
    asked = read_amount(typed, "USD")
    assert asked.minor is None
    assert asked.problem is not None
    assert asked.readings == readings
    assert read_amount(typed, "USD", chosen=readings[1]).minor == int(readings[1].replace(".", ""))
    assert read_amount(typed, "USD", chosen="9.99").minor is None


def test_a_refused_amount_says_what_was_probably_meant() -> None:
    refused = read_amount("-5", "USD")
    assert refused.minor is None
    assert str(refused.problem) == "“-5” is negative. Did you mean 5.00?"


def test_a_local_time_that_happens_twice_is_asked_about() -> None:
    """E6."""
    asked = read_local("2026-10-25T02:30", BERLIN)
    assert asked.at is None
    assert [fold for fold, _ in asked.folds] == ["0", "1"]
    assert [str(said) for _, said in asked.folds] == [
        "The first time (CEST, UTC+0200)",
        "The second time (CET, UTC+0100)",
    ]
    first, second = (read_local("2026-10-25T02:30", BERLIN, fold).at for fold in ("0", "1"))
    assert first == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert second == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_a_local_time_that_never_happens_names_its_neighbours() -> None:
    """E7."""
    refused = read_local("2027-03-28T02:30", BERLIN)
    assert refused.at is None
    assert str(refused.problem) == (
        "02:30 never happens on that day in Europe/Berlin: the clock goes from 01:59 to 03:00."
    )


@pytest.mark.parametrize("typed", ["", "tomorrow", "2026-12-01", "2026-12-01T08:00Z"])
def test_what_is_no_local_time_is_refused(typed: str) -> None:
    refused = read_local(typed, BERLIN)
    assert refused.at is None
    assert refused.problem is not None


def test_an_instant_is_shown_as_it_was_typed() -> None:
    at = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert (local_text(at, BERLIN), fold_of(at, BERLIN)) == ("2026-10-25T02:30", "1")
    assert fold_of(datetime(2026, 12, 1, tzinfo=UTC), BERLIN) == ""


def test_a_day_is_read_or_refused() -> None:
    assert read_day(" 2026-12-01 ") == date(2026, 12, 1)
    assert isinstance(read_day("1.12.2026"), Text)
