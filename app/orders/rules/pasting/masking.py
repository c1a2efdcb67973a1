"""Digits of cards and bank accounts masked, so that a kept text holds none of them.

Masked are IBANs (ISO 13616: the check of ISO 7064, mod 97-10, with the length of their country
where it is known) and every group of 13 digits or more, which is what a card number is
(ISO/IEC 7812: 13 to 19 digits with the Luhn check). A mask is as long as what it hides.
"""

from __future__ import annotations

import re

MASK = "*"
CARD_DIGITS = 13

_BETWEEN = r"[\s\-‐-―−·._/\\|,:;+()\[\]<>]"
_NEAR = r"[^\S\r\n]|[\-‐-―−·._/]"
_DIGITS = re.compile(rf"\d(?:(?:{_NEAR}){{0,3}}\d){{{CARD_DIGITS - 1},}}")
_PAN = re.compile(rf"(?<!\d)\d{{4}}(?:{_BETWEEN}{{1,4}}\d{{3,7}}){{2,4}}(?!\d)")
_SPREAD = re.compile(r"\d(?:\s{0,4}\d){12,18}(?!\d)")
_ACCOUNT = re.compile(r"(?<![^\W_])[A-Za-z]{2}[0-9]{2}(?=(?:[^\S\r\n]|[.\-]){0,2}[A-Za-z0-9])")
_STRETCH = re.compile(r"[A-Za-z0-9](?:(?:[^\S\r\n]|[.\-]){0,2}[A-Za-z0-9]){0,33}")
_LENGTHS = {
    15: "NO", 16: "BE", 18: "DK FO FI GL NL SD FK", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
    21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG DJ",
    25: "LY PT ST", 26: "IS TR", 27: "BI FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
_LENGTH_OF = {country: n for n, names in _LENGTHS.items() for country in names.split()}


def mask(text: str) -> str:
    """The text with the digits of cards and accounts replaced; masking again changes nothing."""
    while (masked := _once(text)) != text:
        text = masked
    return text


def _once(text: str) -> str:
    text = _without_accounts(text)
    text = _DIGITS.sub(lambda found: re.sub(r"\d", MASK, found[0]), text)
    for pattern in (_PAN, _SPREAD):
        text = pattern.sub(lambda found: _without_card(found[0]), text)
    return text


def holds_luhn(digits: str) -> bool:
    """Whether digits carry the check digit of a card number."""
    total = 0
    for place, digit in enumerate(reversed([int(one) for one in digits])):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def is_account(compact: str) -> bool:
    """Whether letters and digits without spaces are an IBAN: length of the country and mod 97."""
    compact = compact.upper()
    known = _LENGTH_OF.get(compact[:2])
    if not 15 <= len(compact) <= 34 or (known is not None and known != len(compact)):
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(one, 36)) for one in turned)) % 97 == 1


def _without_accounts(text: str) -> str:
    """From each place where an account may begin the longest one is masked."""
    done, parts = 0, []
    for begins in _ACCOUNT.finditer(text):
        start = begins.start()
        if start < done:
            continue
        stretch = _STRETCH.match(text, start)
        found = stretch[0] if stretch else ""
        length = _account_in(found)
        if length:
            hidden = re.sub(r"[A-Za-z0-9]", MASK, found[2:length])
            parts += [text[done : start + 2], hidden]
            done = start + length
    return "".join(parts) + text[done:]


def _account_in(found: str) -> int:
    """How many characters of a stretch are an account, 0 where none stands at its beginning."""
    places = [place for place, one in enumerate(found) if one.isalnum()]
    for n in range(len(places), 14, -1):
        if is_account("".join(found[place] for place in places[:n])):
            return places[n - 1] + 1
    return 0


def _without_card(found: str) -> str:
    digits = "".join(one for one in found if one.isdecimal())
    if CARD_DIGITS <= len(digits) <= 19 and holds_luhn(digits):
        return re.sub(r"\d", MASK, found)
    return found
