"""Three languages, complete: catalogues, placeholders, numbers, and no sentence outside of them."""

from __future__ import annotations

import re
import string
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app.language import choose, reader
from app.texts import ntext, text
from app.units import Duration, Money
from tests.house.catalogues import catalogue, extracted, missing, translated
from tests.house.source import ROOT


@pytest.mark.parametrize("language", translated())
def test_the_catalogue_is_complete(language: str) -> None:
    source = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in extracted()
        if message.id
    }
    known = catalogue(language)
    there = {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in known
        if message.id
    }
    assert sorted(source - there) == []
    assert sorted(there - source) == []
    assert [message.id for message in missing(known)] == []


@pytest.mark.parametrize("language", translated())
def test_translations_use_the_same_placeholders(language: str) -> None:
    def names(sentence: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}

    wrong = []
    for message in catalogue(language):
        if not message.id:
            continue
        wanted = set().union(*(names(form) for form in _forms(message.id)))
        for form in _forms(message.string):
            if names(form) - wanted or (len(_forms(message.id)) == 1 and names(form) != wanted):
                wrong.append((message.id, form))
    assert wrong == []


def _forms(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)  # type: ignore[arg-type]


def test_german_never_says_angenommen() -> None:
    """It also means *assumed*; accepted is *abgenommen*."""
    said = [form for message in catalogue("de") for form in _forms(message.string)]
    assert [form for form in said if re.search("angenommen", form, re.I)] == []


def test_templates_hold_no_sentence_of_their_own() -> None:
    """Visible text and spoken attributes in templates come from the catalogues."""
    found = []
    for path in sorted((ROOT / "templates").rglob("*.html")):
        source = re.sub(
            r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", path.read_text("utf-8"), flags=re.S
        )
        tree = HTMLParser(f"<body>{source}</body>")
        for tag in ("script", "style", "code", "svg title"):
            for node in tree.css(tag):
                node.decompose()
        words = [tree.body.text(separator=" ") if tree.body else ""]
        for node in tree.css("[title], [aria-label], [placeholder], [alt]"):
            words += [
                node.attributes.get(name) or ""
                for name in ("title", "aria-label", "placeholder", "alt")
            ]
        outside = re.sub(r'[\w-]+="[^"]*"', " ", " ".join(words))
        own = re.findall(r"[A-Za-z]{3,}", outside)
        allowed = {"Punktum", "UTC", "SHA", "GPU"}
        if set(own) - allowed:
            found.append((str(path.relative_to(ROOT)), sorted(set(own) - allowed)))
    assert found == []


AT = datetime(2026, 12, 2, 12, 36, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Wed, 2 Dec, 13:36"),
        ("de", "Mi., 2. Dez., 13:36 Uhr"),
        ("vi", "Thứ 4, 2 thg 12, 13:36"),
    ],
)
def test_instants_in_the_campaigns_zone(language: str, said: str) -> None:
    assert reader(language, "Europe/Berlin").when(AT) == said


@pytest.mark.parametrize(
    ("language", "said"), [("en", "47.14 USD"), ("de", "47,14 USD"), ("vi", "47,14 USD")]
)
def test_amounts(language: str, said: str) -> None:
    assert reader(language).value(Money(4714, "USD")) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", ["1 d 16 h", "18 h 24 min", "40 s", "6 h"]),
     ("de", ["1 Tag 16 h", "18 h 24 min", "40 s", "6 h"]),
     ("vi", ["1 ngày 16 giờ", "18 giờ 24 phút", "40 giây", "6 giờ"])],
)  # fmt: skip
def test_durations(language: str, said: list[str]) -> None:
    seconds = (144_000, 66_240, 40, 21_600)
    assert [reader(language).duration(each) for each in seconds] == said


def test_durations_have_one_pattern_also_in_columns() -> None:
    english, german = reader("en"), reader("de")
    column = (300, 360, 400, 14_400, 18_360, 133_200)
    assert [english.duration(each) for each in column] == [
        "5 min", "6 min", "6 min 40 s", "4 h", "5 h 6 min", "1 d 13 h",
    ]  # fmt: skip
    signed = [english.duration(each, sign=True) for each in (4_020, -360, 0)]
    assert signed == ["+1 h 7 min", "−6 min", "±0 h"]
    assert english.duration(None) == "–"
    assert english.duration(0) == "0 h"
    assert german.duration(-133_200, sign=True) == "−1 Tag 13 h"
    assert [german.hours(each) for each in (0, 360, 178_200)] == ["0,0 h", "0,1 h", "49,5 h"]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "< 1 s"), ("de", "< 1 s"), ("vi", "< 1 giây")]
)
def test_what_took_less_than_a_second_is_not_called_nothing(language: str, said: str) -> None:
    assert reader(language).value(Duration(0, some=True)) == said
    assert reader(language).duration(0, some=True) == said
    assert reader(language).value(Duration(40, some=True)) == reader(language).duration(40)


@pytest.mark.parametrize("language", ["en", "de", "vi"])
def test_what_is_negative_has_a_true_minus(language: str) -> None:
    said = reader(language)
    values = [Decimal("-0.02"), -3, Money(-500, "USD"), Duration(-60), Fraction(-1, 2)]
    assert [said.value(value)[0] for value in values] == ["−"] * 5
    assert not any("-" in said.value(value) for value in values)


def test_sentences_format_their_values() -> None:
    sentence = text("{a} and {b}", a=Money(100, "JPY"), b=Decimal("0.82"))
    assert reader("de").say(sentence) == "100 JPY and 0,82"
    assert str(ntext("{n} run", "{n} runs", 1)) == "1 run"
    assert str(ntext("{n} run", "{n} runs", 2)) == "2 runs"
    assert (
        str(text("{d} left on {o}", d=Duration(90_000), o=date(2026, 12, 1)))
        == "1 d 1 h left on 2026-12-01"
    )


@pytest.mark.parametrize(
    ("chosen", "accepted", "expected"),
    [
        (None, None, "en"), ("de", "vi", "de"), ("xx", "vi", "vi"), (None, "de-AT", "de"),
        (None, "fr, de;q=0.5, en;q=0.4", "de"), (None, "vi-VN,vi;q=0.9", "vi"),
        (None, ";;;q=x,,", "en"), (None, "fr", "en"),
    ],
)  # fmt: skip
def test_the_language_is_chosen_or_negotiated(
    chosen: str | None, accepted: str | None, expected: str
) -> None:
    assert choose(chosen, accepted) == expected
