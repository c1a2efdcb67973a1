"""Whatever is pasted: it never raises, invents no amount, keeps no card and no account."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.orders.rules.pasting import FIELDS, MAX_PASTE, Pasted, mask, read_paste
from app.units import MAX_MINOR

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
ZONES = st.sampled_from(["Europe/Berlin", "UTC", "America/New_York", "Asia/Ho_Chi_Minh"])

WORDS = st.sampled_from([
    "Total", "Total:", "Gesamtbetrag:", "Tổng cộng:", "Subtotal", "Order number:", "Order",
    "Start:",
    "Ende:", "Kết thúc:", "from", "until", "3 days from", "USD", "€", "$", "₫", "EUR", "per", "h",
    "/h", "x", "47.14", "47,14", "1.234", "1 234,56", "110.00", "0.65", "-10.00", "2026-12-01",
    "03/04/2026", "01.12.2026", "08:00", "8 PM", "UTC", "CST", "MEZ", "(GMT+7)", "Refund", "\n",
    "\t", " | ", ">", "<td>", "</td>", "<p>", "&nbsp;", "&euro;", "=\n", "=E2=82=AC", "\u200b",
    "{", "}", '"total":', '"order_id":', ",", "[", "]", "NaN", "null", "IG-20931", "RTX 4090",
    "<script type=\"application/ld+json\">", "</script>", "@type", "Order", "\x00", "\ud800",
    "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "https://a.example/1",
    "Auto-renew:", "no",
])  # fmt: skip
GLUED = st.lists(st.one_of(WORDS, st.text(max_size=6)), max_size=40).map(" ".join)
PASTES = st.one_of(
    GLUED, st.text(max_size=300), st.binary(max_size=300).map(lambda b: b.decode("latin-1"))
)


def amounts(pasted: Pasted) -> set[str]:
    found = {str(pasted.found["price"].value)} if "price" in pasted.found else set()
    asked = pasted.asked.get("price")
    return found | ({str(one.value) for one in asked.candidates} if asked else set())


@settings(max_examples=400, deadline=None)
@given(PASTES, ZONES)
@example("[" * 5000, "UTC")
@example('{"a":' * 5000, "UTC")
@example("Start: 31.12.2199 23:59 UTC\nDauer: 3650 Tage", "UTC")
@example("Start: 2199-12-31 23:59 -12:00\nDauer: 99 Tage", "UTC")
@example("Total: " + "9" * 400 + " USD", "UTC")
@example('{"total": 1e99, "order_id": "a1", "start": 99999999999}', "UTC")
@example("Start: 0001-01-01 00:00 +14:00", "UTC")
def test_nothing_that_is_pasted_raises(raw: str, zone: str) -> None:
    pasted = read_paste(raw, zone, NOW, "USD")
    assert {*pasted.found, *pasted.asked} <= set(FIELDS)
    assert not set(pasted.found) & set(pasted.asked)
    assert pasted.sha256 == hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()
    for name in ("starts_at", "ends_at", "ordered_at"):
        if name in pasted.found:
            value = pasted.found[name].value
            assert isinstance(value, datetime)
            assert value.utcoffset() == timedelta(0)


@settings(max_examples=400, deadline=None)
@given(GLUED)
def test_an_amount_is_never_one_that_is_not_written(raw: str) -> None:
    """Its digits stand in the text in their order; only zeros behind the point may be added, and
    a reading of too many decimals may be the neighbour above."""
    pasted = read_paste(raw, "UTC", NOW, "USD")
    if "price" not in pasted.found:
        return
    value = str(pasted.found["price"].value)
    digits = re.sub("[^0-9]", "", value)
    whole, _, part = value.partition(".")
    bare = whole + part.rstrip("0")
    there = re.sub("[^0-9]", "", pasted.found["price"].written)
    assert digits in there or bare in there
    assert 0 <= int(digits) <= MAX_MINOR


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 99_999), st.integers(2, 720), st.sampled_from(["/h", " per hour", " pro Stunde"])
)
def test_a_rate_is_never_multiplied(cents: int, hours: int, unit: str) -> None:
    rate = f"{cents // 100}.{cents % 100:02d}"
    raw = f"Duration: {hours} hours\nPrice: {rate} USD{unit}\n{hours} h x {rate} USD"
    pasted = read_paste(raw, "UTC", NOW, "USD")
    assert amounts(pasted) == set()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.decimals(1, 99_999, places=2), min_size=2, max_size=4, unique=True),
    st.sampled_from(
        ["Total: {} USD", "Gesamtbetrag: {} USD", "Tổng cộng: {} USD", "You paid {} USD"]
    ),
)
def test_of_several_amounts_none_is_taken(values: list[object], line: str) -> None:
    raw = "\n".join(line.format(value) for value in values)
    pasted = read_paste(raw, "UTC", NOW)
    assert "price" not in pasted.found
    assert {str(one.value) for one in pasted.asked["price"].candidates} == {str(v) for v in values}


# Masks


def luhn(digits: str) -> bool:
    """The check of ISO/IEC 7812-1, annex B, said once more for the test."""
    doubled = [int(d) * (1 + n % 2) for n, d in enumerate(reversed(digits))]
    return sum(sum(divmod(one, 10)) for one in doubled) % 10 == 0


def cards_in(text: str) -> list[str]:
    """Every group of 13 to 19 digits with single spaces or dashes between that passes."""
    found = []
    for one in re.finditer(r"(?=((?:[0-9][ -]?){13,19}))", text):
        digits = re.sub("[^0-9]", "", one[1])
        found += [digits[:n] for n in range(13, len(digits) + 1) if luhn(digits[:n])]
    return found


def with_check(digits: str) -> str:
    return next(digits + str(n) for n in range(10) if luhn(digits + str(n)))


CARD = st.text("0123456789", min_size=12, max_size=18).map(with_check)
SEPARATORS = st.sampled_from(["", " ", "-", "  ", "\u00a0", ".", "–", " - "])


@st.composite
def written_cards(draw: st.DrawFn) -> str:
    digits, between = draw(CARD), draw(SEPARATORS)
    return between.join(digits[n : n + 4] for n in range(0, len(digits), 4))


@st.composite
def accounts(draw: st.DrawFn) -> str:
    """An IBAN of a made-up bank: check digits by ISO 7064, mod 97-10."""
    country, length = draw(
        st.sampled_from([("DE", 22), ("GB", 22), ("NO", 15), ("MT", 31), ("FR", 27)])
    )
    body = draw(st.text("0123456789ABCXYZ", min_size=length - 4, max_size=length - 4))
    number = int("".join(str(int(one, 36)) for one in f"{body}{country}00"))
    iban = f"{country}{98 - number % 97:02d}{body}"
    between = draw(st.sampled_from(["", " ", "-"]))
    spaced = between.join(iban[n : n + 4] for n in range(0, length, 4))
    return draw(st.sampled_from([spaced, spaced.lower()]))


AROUND = st.text(
    st.characters(exclude_characters="0123456789", exclude_categories=("Cs", "Nd")), max_size=30
)


@settings(max_examples=300, deadline=None)
@given(AROUND, written_cards(), AROUND)
def test_no_card_is_kept(before: str, card: str, after: str) -> None:
    kept = read_paste(f"{before} {card} {after}", "UTC", NOW).kept
    assert cards_in(kept) == []
    assert cards_in(mask(f"{before}{card}{after}")) == []


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["", "IBAN ", "Konto: ", "pay to "]),
    accounts(),
    st.sampled_from(["", " BIC ABCD", ".", "\n12"]),
)
def test_no_account_is_kept(before: str, account: str, after: str) -> None:
    kept = read_paste(before + account + after, "UTC", NOW).kept
    assert re.sub("[ -]", "", account)[4:12].lower() not in re.sub("[ -]", "", kept).lower()
    assert account[:2] in kept


@settings(max_examples=400, deadline=None)
@given(st.one_of(PASTES, st.text("0123456789 -ADE\n", max_size=200)))
def test_masking_twice_is_masking_once(raw: str) -> None:
    once = mask(raw)
    assert mask(once) == once
    assert len(once) == len(raw)
    assert cards_in(once) == []


@settings(max_examples=200, deadline=None)
@given(GLUED)
def test_what_is_kept_says_the_same_when_it_is_pasted_again(raw: str) -> None:
    """The kept text is read as it was kept: pasting it changes nothing in it."""
    kept = read_paste(raw, "UTC", NOW).kept
    assert mask(kept) == kept
    assert len(kept.encode()) <= MAX_PASTE


def test_what_is_no_card_stays() -> None:
    plain = (
        "Order IG-20931 of 2026-12-01 08:00 to 2026-12-04 08:00, +49 30 1234567, 1.234.567,89 EUR"
    )
    assert mask(plain) == plain


def test_a_text_over_the_limit_is_not_read() -> None:
    line = "Total: 47.14 USD\n"
    most = line + "ü" * ((MAX_PASTE - len(line)) // 2)
    pasted = read_paste(most, "UTC", NOW)
    assert pasted.found["price"].value == "47.14"
    over = read_paste(most + "ü", "UTC", NOW)
    assert (dict(over.found), dict(over.asked), over.kept) == ({}, {}, "")
    assert str(over.problem) == "At most 64 KiB of text are read; this is more."
    assert over.sha256 == hashlib.sha256((most + "ü").encode()).hexdigest()
