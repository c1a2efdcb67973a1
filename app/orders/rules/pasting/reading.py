"""Reading what was pasted, whatever it is: a mail as text, as its source or as HTML, or JSON."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.orders.rules.pasting import provider, schema_org
from app.orders.rules.pasting.cleaning import decoded, lines_of, seen
from app.orders.rules.pasting.dates import written_orders
from app.orders.rules.pasting.judging import Judged, Plain, decide, of_field
from app.orders.rules.pasting.labelled import labelled
from app.orders.rules.pasting.labels import LENGTH
from app.orders.rules.pasting.mail import body_of
from app.orders.rules.pasting.markup import Shown, is_markup, read_markup
from app.orders.rules.pasting.masking import mask
from app.orders.rules.pasting.model import MAX_PASTE, TIMES, Asked, Pasted, Said
from app.orders.rules.pasting.objects import parse
from app.orders.rules.pasting.pricing import Pricing, refund_line
from app.orders.rules.pasting.sentences import spoken
from app.orders.rules.pasting.timing import Clockwork
from app.orders.rules.pasting.writing import Excerpts
from app.orders.rules.pasting.zones import zone_for_all
from app.texts import Text, text

_EXTENDED = re.compile(
    r"\bextended (?:until|to|by|for)\b|\bextension (?:of|until|confirm|order|paid)|"
    r"verlängert (?:bis|um)\b|"
    r"\bverlängerung (?:um|bis|bestätigt)|gia hạn (?:đến|thêm|thành công)",
    re.IGNORECASE,
)
FAR = timedelta(days=730)


@dataclass(frozen=True, slots=True)
class _Source:
    """The lines of a text as they are kept, what they state, and how many orders they hold."""

    lines: Sequence[str]
    said: Sequence[Said]
    orders: int = 1


def read_paste(raw: str, zone: str, now: datetime, currency: str | None = None) -> Pasted:
    """What a pasted text says of one order; it never raises and takes nothing that is unsure.

    `zone` is the campaign's, offered where a time names none; `currency` the campaign's, taken
    where a sign such as "$" may mean it. A text beyond `MAX_PASTE` bytes is not read.
    """
    data = raw.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(data).hexdigest()
    if len(data) > MAX_PASTE:
        said = text("At most {n} KiB of text are read; this is more.", n=MAX_PASTE // 1024)
        return Pasted(digest, problem=said)
    source = _source_of(raw)
    kept = mask("\n".join(source.lines)).split("\n")
    if source.orders > 1:
        question = text("The text holds {n} orders. Paste one of them, or send them as CSV.",
                        n=source.orders)  # fmt: skip
        return Pasted(digest, _cut(kept), asked={"reference": Asked(question)})
    judged = _judge(source, Excerpts(kept), zone, currency)
    remarks = (*_remarks(source.lines, judged, now),)
    return Pasted(digest, _cut(kept), judged.found, judged.asked, remarks)


def _source_of(raw: str) -> _Source:
    cleaned = seen(raw)
    body = body_of(cleaned) or decoded(cleaned)
    is_json = cleaned.lstrip()[:1] in ("{", "[")
    if not is_json and is_markup(body):
        return _of_markup(body)
    first, block = _json_in(cleaned)
    value = parse(block) if block else None
    if isinstance(value, Mapping | list):
        return _of_json(value, cleaned, first, block)
    if is_markup(body):
        return _of_markup(body)
    lines = lines_of(body)
    return _Source(lines, (*labelled(lines), *spoken(lines)))


def _json_in(cleaned: str) -> tuple[int, str]:
    """The stretch of lines that may be JSON, without what a command line printed around it, and
    its first line; empty where there is none."""
    lines = cleaned.split("\n")
    begins = [n for n, line in enumerate(lines) if line.lstrip()[:1] in ("{", "[")]
    ends = [n for n, line in enumerate(lines) if line.rstrip()[-1:] in ("}", "]")]
    if not begins or not ends or ends[-1] < begins[0]:
        return 1, ""
    return begins[0] + 1, "\n".join(lines[begins[0] : ends[-1] + 1])


def _of_json(
    value: Mapping[object, object] | list[object], cleaned: str, first: int, block: str
) -> _Source:
    lines = cleaned.split("\n")
    marked = tuple(schema_org.orders_of(value))
    if marked:
        said, several = schema_org.stated(block, first)
        return _Source(lines, said, len(marked) if several else 1)
    orders = provider.orders_in(value)
    said = () if orders > 1 else provider.stated(value, block, first)
    return _Source(lines, said, max(orders, 1))


def _of_markup(body: str) -> _Source:
    """HTML: the lines that it shows, and below them the structured data that it carries."""
    shown = read_markup(body)
    lines = [line for one in shown.lines for line in lines_of(one)]
    said: list[Said] = [*labelled(lines), *spoken(lines)]
    orders = 1
    for block in _blocks(shown):
        found, several = schema_org.stated(block, len(lines) + 1)
        if found:
            said += found
            lines += block.split("\n")
            orders += several
    return _Source(lines, said, orders)


def _blocks(shown: Shown) -> list[str]:
    """The structured data of a page as JSON, each as it may be kept."""
    items = (schema_org.as_block(item) for item in shown.items)
    return [*(seen(one).strip() for one in shown.scripts), *(one for one in items if one)]


def _judge(source: _Source, excerpts: Excerpts, zone: str, currency: str | None) -> Judged:
    judged = Judged()
    whole = "\n".join(source.lines)
    plain = Plain(excerpts)
    readers = {
        "reference": plain.reference, "provider": plain.line, "account": plain.line,
        "gpus": plain.count, "gpu": plain.gpu, "memory_gib": plain.memory, "link": plain.link,
        "auto_renew": plain.yes,
    }  # fmt: skip
    said = [*source.said, *_behind(source.said)]
    for name, read in readers.items():
        decide(name, of_field(said, name), read, judged)
    clockwork = Clockwork(excerpts, zone, zone_for_all(whole), written_orders(whole))
    for name in TIMES:
        decide(name, of_field(said, name), clockwork.read, judged)
    clockwork.end_by_length(clockwork.length(of_field(said, LENGTH)), judged)
    Pricing(excerpts, source.lines, currency).decide(
        of_field(said, "price"), of_field(said, "currency"), judged
    )
    return judged


def _behind(said: Sequence[Said]) -> list[Said]:
    """A GPU's line may state its count and its memory too: "2 × B200 (180 GB)"."""
    found = []
    for one in said:
        if one.field == "gpu" and not one.whole:
            found += [Said(name, one.text, one.line, one.way, one.rank + 1)
                      for name in ("gpus", "memory_gib")]  # fmt: skip
    return found


def _remarks(lines: Sequence[str], judged: Judged, now: datetime) -> list[Text]:
    found = []
    refund = refund_line(lines)
    if refund is not None:
        found.append(text("Line {n} speaks of money given back: log it as a refund of the order "
                          "that it belongs to.", n=refund))  # fmt: skip
    extended = next((n for n, one in enumerate(lines, start=1) if _EXTENDED.search(one)), None)
    if extended is not None:
        found.append(text("Line {n} speaks of an extension: log it at the order that it extends.",
                          n=extended))  # fmt: skip
    start = judged.found.get("starts_at")
    if start is not None and isinstance(start.value, datetime) and abs(start.value - now) > FAR:
        found.append(text("The window begins at {at}: is the year right?", at=start.value))
    return found


def _cut(lines: Sequence[str]) -> str:
    """The lines as one text, never longer than what may be pasted."""
    data = "\n".join(lines).encode("utf-8")
    return data[:MAX_PASTE].decode("utf-8", "ignore")
