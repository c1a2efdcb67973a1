"""One plan in every lot on offer: prices of whole lots, ends, what is dropped, what is cheapest."""

from __future__ import annotations

from dataclasses import replace

from app.offers.rules import read_catalogue
from app.plan.rules.comparing import Alternative, alternatives, windows_of
from app.plan.rules.model import Plan, Step
from app.units import Money
from tests.plan.campaigns import family, step
from tests.plan.drafts import small

THREE_DAYS, SEVEN, THIRTY, B200 = read_catalogue()


def _plan(*steps: Step) -> Plan:
    return replace(small(), lots=(), steps=steps or tuple(family()))


def _by(found: tuple[Alternative, ...]) -> dict[tuple[str, int], Alternative]:
    return {(one.offer.id, one.lots): one for one in found}


def test_one_two_and_three_lots_of_each_offer() -> None:
    found = _by(alternatives(_plan(), read_catalogue()))
    assert len(found) == 10
    one, two = found[THREE_DAYS.id, 1], found[THREE_DAYS.id, 2]
    assert one.price == Money(4714, "USD")
    assert two.price == Money(9428, "USD")
    assert one.schedule is not None
    assert (one.schedule.end_min, one.schedule.uncommitted_min) == (48 * 60, 24 * 60)
    assert two.schedule is not None
    assert two.schedule.end_min == 38 * 60
    assert [str(said) for said in two.changes] == [
        "Ends after 38 h instead of 48 h.",
        "No single run gets shorter: control still takes 10 h.",
    ]


def test_an_offer_without_a_duration_is_not_placed_and_says_why() -> None:
    found = _by(alternatives(_plan(), (B200,)))[B200.id, 1]
    assert (found.kept, found.price) == (None, None)
    assert found.why is not None
    assert windows_of(B200, 2) == ()


def test_the_composition_of_a_lot_does_not_multiply_its_price() -> None:
    pair = replace(B200, hours=72, price_minor=9000, currency="USD")
    found = _by(alternatives(_plan(), (pair,)))[pair.id, 1]
    assert found.price == Money(9000, "USD")
    assert found.schedule is not None
    assert found.schedule.end_min == 38 * 60


def test_cheapest_for_the_essential_part_and_for_everything() -> None:
    """78 h of control and five variants: three days drop one, or two lots hold all of it."""
    found = alternatives(_plan(*family("cde")), (THREE_DAYS, SEVEN, THIRTY))
    essential = [one for one in found if one.holds_essential]
    everything = [one for one in found if one.holds_all]
    assert [(one.offer.id, one.lots) for one in essential] == [(THREE_DAYS.id, 1)]
    assert [(one.offer.id, one.lots) for one in everything] == [(THREE_DAYS.id, 2)]
    dropped = essential[0].schedule
    assert dropped is not None
    assert [one.id for one in dropped.dropped] == ["e"]
    assert "Has room for e." in [str(said) for said in everything[0].changes]


def test_currencies_are_never_compared() -> None:
    euro = replace(SEVEN, id="x/euro", price_minor=100, currency="EUR")
    found = [one for one in alternatives(_plan(), (THREE_DAYS, euro)) if one.holds_all]
    assert {one.offer.currency for one in found} == {"USD", "EUR"}


def test_an_offer_without_a_price_is_compared_but_never_called_cheapest() -> None:
    unknown = replace(THREE_DAYS, price_minor=None, currency=None)
    found = alternatives(_plan(), (unknown,))
    assert not any(one.holds_all or one.holds_essential for one in found)
    assert all(one.schedule is not None and one.price is None for one in found)


def test_a_second_lot_names_its_set_up() -> None:
    install = step("install", "machine", 2, after=["prepare"], per_lot=True)
    steps = [install if one.id == "install" else one for one in family()]
    two = _by(alternatives(_plan(*steps), (THREE_DAYS,)))[THREE_DAYS.id, 2]
    assert two.set_up_min == 120
    assert "The further lot needs 2 h of set-up." in [str(said) for said in two.changes]
    three = _by(alternatives(_plan(*steps), (THREE_DAYS,)))[THREE_DAYS.id, 3]
    assert "The 2 further lots need 4 h of set-up." in [str(said) for said in three.changes]


def test_what_exceeds_says_by_how_much() -> None:
    found = _by(alternatives(_plan(*family("cde", "essential")), (THREE_DAYS, SEVEN)))
    short, week = found[THREE_DAYS.id, 1].schedule, found[SEVEN.id, 1].schedule
    assert short is not None
    assert week is not None
    assert (short.fits, short.exceeds_min) == (False, 6 * 60)
    assert (week.fits, week.uncommitted_min) == (True, 90 * 60)
    assert len(alternatives(_plan(), (THREE_DAYS, SEVEN), most_lots=1)) == 2
