"""The price of an order from a text: one amount in one currency, or a question.

More than one candidate: none is taken. An amount with two readings ("1.234") is asked about. A
currency is taken from the text, from its sign where that is certain; a sign of several currencies
is the campaign's where it is one of them, else asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from app.orders.rules.pasting.amounts import (
    Amount,
    amounts_in,
    currencies_in,
    currency_named,
    read_number,
)
from app.orders.rules.pasting.judging import Judged, Reading, decide
from app.orders.rules.pasting.masking import mask
from app.orders.rules.pasting.model import Asked, Candidate, Found, Said, Way
from app.orders.rules.pasting.writing import Excerpts
from app.texts import text
from app.units import MAX_MINOR, amount_text, currency_exponent

_REFUND = re.compile(
    r"\brefund(?:ed|s)?\b|credit note|chargeback|erstatt|gutschrift|hoàn tiền|hoàn lại|hoàn trả",
    re.I,
)
_POLICY = re.compile(
    r"non-?refund|not refund|no refund|refund polic|refundable|refunds? (?:are|is|can|may|will)\b|"
    r"nicht erstatt|erstattungsfähig|keine erstatt|erstattungs|chính sách|không hoàn",
    re.I,
)
_MONEY = re.compile(
    r"[0-9][.,][0-9]{2}(?![0-9])|[0-9]\s?(?:€|\$|£|¥|₫|đ\b|[A-Z]{3}\b)|[€$£¥]\s?[0-9]"
)
_HEADING = re.compile(r"^\s*(?:subject|betreff|tiêu đề|chủ đề)\s?:", re.I)
_MOST_DIGITS = 15


def refund_line(lines: Sequence[str]) -> int | None:
    """The line that speaks of money given back: with an amount, or as the heading of a mail."""
    headings = [number for number, line in enumerate(lines, start=1) if line.strip()][:2]
    for number, line in enumerate(lines, start=1):
        told = number in headings or _HEADING.match(line) or _MONEY.search(line)
        if told and _REFUND.search(line) and not _POLICY.search(line):
            return number
    return None


class Pricing:
    """Decides price and currency of one text together."""

    def __init__(self, excerpts: Excerpts, lines: Sequence[str], currency: str | None) -> None:
        self._of = excerpts
        self._lines = lines
        self._default = currency
        self._named: tuple[str, ...] = ()
        self._open: tuple[str, ...] = ()
        self._codes = currencies_in("\n".join(lines))

    def decide(self, prices: Sequence[Said], currencies: Sequence[Said], judged: Judged) -> None:
        """Fill in `price` and `currency`, found or asked."""
        self._named = self._stated(currencies)
        candidates = decide("price", prices, self._read, judged)
        way = judged.found["price"].way if "price" in judged.found else Way.LABEL
        refund = refund_line(self._lines)
        if refund is not None and "price" in judged.found:
            del judged.found["price"]
            question = text("Line {n} speaks of a refund. Which amount is the price of the order?",
                            n=refund)  # fmt: skip
            judged.asked["price"] = Asked(question, candidates)
        codes = {one.currency for one in candidates}
        if len(codes) == 1 and (code := next(iter(codes))) is not None:
            named = next((one for one in currencies if currency_named(one.text) == (code,)), None)
            written, line = candidates[0].written, candidates[0].line
            if named is not None:
                written, line = self._of.of(named, named.text), named.line
            judged.found["currency"] = Found(code, written, line, named.way if named else way)
        elif not candidates and len(self._named) == 1 and currencies:
            said = currencies[0]
            written = self._of.of(said, said.text)
            judged.found["currency"] = Found(self._named[0], written, said.line, said.way)
        elif None in codes and (options := self._open or self._named):
            only = candidates[0]
            asked = tuple(Candidate(code, only.written, only.line) for code in options)
            judged.asked["currency"] = Asked(text("Which currency is meant?"), asked)

    def _stated(self, currencies: Sequence[Said]) -> tuple[str, ...]:
        """The currency that labels or members name, where they name one."""
        found = {currency_named(one.text) for one in currencies} - {()}
        return next(iter(found)) if len(found) == 1 else ()

    def _read(self, said: Said) -> Reading:
        of_data = said.whole or said.way in (Way.JSON, Way.MARKUP)
        if of_data and (figure := _decimal(said.text)) is not None:
            return self._of_figure(said, figure)
        candidates: list[Candidate] = []
        unsure = False
        for amount in amounts_in(mask(said.text)):
            if not amount.currencies and not self._may_be_bare(amount):
                continue
            numbers = (amount.number, *amount.others)
            made = [one for number in numbers for one in self._readings(number, amount, said)]
            unsure = unsure or len(made) > 1
            candidates += made
        if not unsure:
            return Reading(tuple(candidates))
        question = text("“{written}” can be read in more than one way. Which amount is the price?",
                        written=said.text.strip()[:80])  # fmt: skip
        return Reading(tuple(candidates), question)

    def _readings(self, number: str, amount: Amount, said: Said) -> list[Candidate]:
        code = self._resolved(amount.currencies)
        if code is None and len(amount.currencies) > 1:
            self._open = amount.currencies
        written = self._of.of(said, amount.written)
        hint = code or self._default or "USD"
        if len(re.sub("[^0-9]", "", number)) > _MOST_DIGITS:
            return []
        readings = read_number(number, hint).amounts
        return [Candidate(one, written, said.line, code) for one in readings]

    def _may_be_bare(self, amount: Amount) -> bool:
        """A number without a currency is an amount where it has decimals, or where the text names
        its currency elsewhere; "Total: 2" may count things."""
        return bool(re.search(r"[.,'’ ][0-9]", amount.number) or self._named)

    def _of_figure(self, said: Said, figure: Decimal) -> Reading:
        """A number of JSON. Whole ones of three digits may count the minor unit: asked."""
        code = self._resolved(())
        exponent = currency_exponent(code or self._default or "USD")
        minor = figure.scaleb(exponent)
        if figure < 0 or minor > MAX_MINOR:
            return Reading()
        written = self._of.of(said, said.text)
        hint = code or self._default or "USD"
        if minor != minor.to_integral_value():
            near = (int(minor), int(minor) + 1)
            made = tuple(Candidate(amount_text(n, hint), written, said.line, code) for n in near)
            return Reading(made, text("“{written}” has more decimals than the currency. Which "
                                      "amount is the price?", written=said.text[:80]))  # fmt: skip
        major = Candidate(amount_text(int(minor), hint), written, said.line, code)
        lone = re.fullmatch("[0-9]{3,}", said.text.strip()) and exponent and said.way is Way.JSON
        if not lone:
            return Reading((major,))
        other = Candidate(amount_text(int(figure), hint), written, said.line, code)
        return Reading((major, other), text("“{written}” may count whole units or the smallest "
                                            "ones. Which amount is the price?",
                                            written=said.text[:80]))  # fmt: skip

    def _resolved(self, options: Sequence[str]) -> str | None:
        """The one currency of a mark; the text or the campaign may tell which it is."""
        options = tuple(options) or self._named
        if len(options) == 1:
            return options[0]
        if not options:
            named = self._codes
            return next(iter(named)) if len(named) == 1 else None
        named = self._codes & set(options)
        if len(named) == 1:
            return next(iter(named))
        return self._default if not named and self._default in options else None


def _decimal(written: str) -> Decimal | None:
    if len(written) > 40 or not re.fullmatch(
        r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?", written.strip()
    ):
        return None
    try:
        return Decimal(written.strip())
    except InvalidOperation:
        return None
