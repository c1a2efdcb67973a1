"""What the sentences of a mail say without a label: windows, amounts, references, GPUs.

It is read only where no label states the same field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.orders.rules.pasting.amounts import amounts_in, is_of_units
from app.orders.rules.pasting.dates import When, times_in
from app.orders.rules.pasting.labelled import MOST_READ, window
from app.orders.rules.pasting.labels import LENGTH
from app.orders.rules.pasting.model import Said, Way

_BEGINS = re.compile(
    r"\b(?:from|starting|starts?|started|beginning|begins?|ab|vom|von|beginnt|startet|từ|"
    r"bắt đầu|kể từ)(?:\s(?:on|at|am|um|ab|von|từ|lúc|vào|ngày)){0,3}\W{0,3}$",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:until|till|to|through|ends?|ending|expires?|bis|endet|đến|tới|kết thúc|hết hạn)"
    r"(?:\s(?:on|at|am|um|zum|lúc|vào|ngày)){0,3}\W{0,3}$",
    re.IGNORECASE,
)
_TO = re.compile(r"\W*(?:until|till|to|through|bis(?:\szum)?|đến|tới|and|und)?\W*", re.IGNORECASE)
_DAY_FIRST = re.compile(
    r"\b(?:từ|đến|ngày|lúc|của|giờ|bis|vom|und|ist|steht)\b|[ăđơưạ-ỹ]", re.IGNORECASE
)
_LENGTH = re.compile(
    r"[0-9]+(?:[.,][0-9]+)?\s?(?:h|hours?|days?|weeks?|std|stunden?|tagen?|wochen?|giờ|ngày|tuần)"
    r"\b(?=.{0,40}(?:from|start|begin|ab\b|beginn|từ|kể|bắt đầu))",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:order|booking|reservation|bestellung|auftrag|buchung|bestellbestätigung|"
    r"auftragsbestätigung|đơn hàng|đơn đặt hàng|đặt hàng|mã đơn)"
    r"(?:\s(?:confirmation|bestätigung|reference|ref|số|mã))?"
    r"(?:\s?(?:no\.?|number|nr\.?|nummer|id|số))?\s?[:#]{0,2}\s?#?"
    r"(?P<named>(?=[^\s]*[0-9])[A-Z0-9][A-Z0-9._/\-]{2,62}[A-Z0-9])(?![^\s.,;:!?)\]\"'“”’])",
    re.IGNORECASE,
)
_SENDER = re.compile(
    r"^\s*(?:from|von|từ|reply-to)\s?:\s*\"?(?P<name>[^\"<@]{2,80}?)\"?\s*<[^<>@\s]+@[^<>\s]+>\s*$",
    re.IGNORECASE,
)
_GPU = re.compile(
    r"(?:(?P<count>[0-9]{1,4})\s?[x×]\s?)?(?:NVIDIA\s|AMD\s)?(?P<name>(?:GeForce\s)?(?:RTX|GTX)"
    r"\s?(?:PRO\s?)?[0-9]{4}(?:\s?(?:Ti|SUPER|Ada|D))?|RTX\s?A[0-9]{4}|(?:Tesla\s)?[ABHLPTV]"
    r"[0-9]{1,3}0?[04]S?(?![0-9])|GB[0-9]{3}|GH200|MI[0-9]{3}X?)(?![A-Za-z0-9\-])"
)
_NO_PRICE = re.compile(
    r"refund|credit|discount|rebate|saving|you save|\btax\b|\bvat\b|\bfee\b|deposit|balance|"
    r"subtotal|rate|limit|budget|upgrade|offer|from only|instead of|voucher|coupon|"
    r"erstatt|gutschrift|rabatt|ersparnis|steuer|mwst|gebühr|kaution|guthaben|zwischensumme|"
    r"angebot|gutschein|statt|satz|hoàn|giảm|thuế|phí|số dư|khuyến mãi|ưu đãi|đặt cọc",
    re.IGNORECASE,
)


def spoken(lines: Sequence[str]) -> tuple[Said, ...]:
    """What the lines say in sentences, in their order."""
    found: list[Said] = []
    for number, line in enumerate(lines, start=1):
        line = line[:MOST_READ]
        if not line.strip():
            continue
        found += _windows(line, number)
        found += (Said("reference", one["named"], number, Way.TEXT, 1)
                  for one in _ORDER.finditer(line) if not times_in(one["named"]))  # fmt: skip
        if sender := _SENDER.match(line):
            found.append(Said("provider", sender["name"].strip(), number, Way.TEXT, 1))
        found += _gpus(line, number)
        of_order = not _NO_PRICE.search(line) and not is_of_units(line)
        if of_order and any(one.currencies for one in amounts_in(line)):
            found.append(Said("price", line.strip(), number, Way.TEXT, 2))
    return tuple(found)


def _windows(line: str, number: int) -> Iterator[Said]:
    times = times_in(line)
    day_first = _DAY_FIRST.search(line) is not None
    for place, one in enumerate(times):
        ahead = line[max(0, one.begins - 40) : one.begins]
        if place and _TO.fullmatch(line[times[place - 1].ends : one.begins]) and place == 1:
            if not _BEGINS.search(line[max(0, times[0].begins - 40) : times[0].begins]):
                yield from window(line[times[0].begins : one.ends], number, Way.TEXT, day_first)
            else:
                yield Said("ends_at", one.written, number, Way.TEXT, 1, day_first)
        elif _BEGINS.search(ahead):
            after = times[place + 1] if place + 1 < len(times) else None
            yield Said("starts_at", _with_zone(one, after), number, Way.TEXT, 1, day_first)
        elif _ENDS.search(ahead):
            yield Said("ends_at", one.written, number, Way.TEXT, 1, day_first)
    if times and (length := _LENGTH.search(line)):
        yield Said(LENGTH, length[0], number, Way.TEXT, 1)


def _with_zone(one: When, after: When | None) -> str:
    """A start as written, with the zone that its end names for both."""
    if one.zone is None and after is not None and after.zone is not None:
        return f"{one.written} {after.zone.written}"
    return one.written


def _gpus(line: str, number: int) -> Iterator[Said]:
    for one in _GPU.finditer(line):
        yield Said("gpu", one["name"].strip(), number, Way.TEXT, 1)
        if one["count"]:
            yield Said("gpus", one["count"], number, Way.TEXT, 1)
