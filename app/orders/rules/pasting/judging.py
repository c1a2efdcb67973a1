"""From what places of a text state to what is found, and to what a person is asked.

The better label decides; where it states two different things, nothing is taken. Labels that stand
beside structured data must agree with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from app.orders.rules.pasting.amounts import amounts_in
from app.orders.rules.pasting.masking import holds_luhn
from app.orders.rules.pasting.model import Asked, Candidate, Found, Said, Way
from app.orders.rules.pasting.writing import Excerpts
from app.texts import Text, text

_WAYS = tuple(Way)
_YES = re.compile(
    r"(?:yes|on|true|enabled|active|ja|ein|an|aktiv|aktiviert|có|bật|đang bật|kích hoạt)\b", re.I
)
_NO = re.compile(
    r"(?:no|off|false|disabled|none|never|nein|aus|inaktiv|deaktiviert|nicht|không|tắt|đã tắt)\b",
    re.I,
)
_REFERENCE = re.compile(r"#?\s?(?P<named>[^\s#|,;()\[\]<>\"“”„][^\s|,;()\[\]<>\"“”„]{0,99})")
_IN_TWO = re.compile(r"[A-Z]{1,6} [0-9][A-Za-z0-9\-]{2,20}")
_NO_NAME = re.compile(
    r"[0-9]+[.,][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}.*"
)
_URL = re.compile(r"https?://[^\s<>\"'|)\]]+", re.IGNORECASE)
_SECRET = re.compile(r"[?&#@]")
_MEMORY = re.compile(r"(?<![0-9.,])(?P<n>[0-9]{1,5})\s?(?:GiB|GB|G)\b", re.IGNORECASE)
_COUNT = re.compile(
    r"(?<![0-9.,])(?P<n>[0-9]{1,4})\s?[x×]\s?(?=\D)|^(?P<all>[0-9]{1,4})(?:\s?GPUs?)?$",
    re.IGNORECASE,
)
_AFTER_COUNT = re.compile(r"\S\s[x×]\s?(?P<n>[0-9]{1,4})\s*$", re.IGNORECASE)
_GPU_NAME = re.compile(r"[A-Za-z].*[0-9]")
SEVERAL = text("The text names more than one. Which one is meant?")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one statement may mean: nothing, one value, or several with the question to ask."""

    candidates: tuple[Candidate, ...] = ()
    question: Text | None = None


Reader = Callable[[Said], Reading]


@dataclass(slots=True)
class Judged:
    """What was decided so far."""

    found: dict[str, Found] = field(default_factory=dict)
    asked: dict[str, Asked] = field(default_factory=dict)


def decide(name: str, said: Iterable[Said], read: Reader, judged: Judged) -> tuple[Candidate, ...]:
    """Decide one field from all that the text says of it; returns what came into question."""
    readings = [(one, read(one)) for one in said]
    readings = [(one, made) for one, made in readings if made.candidates or made.question]
    for way in _WAYS:
        of_way = [pair for pair in readings if pair[0].way is way]
        if of_way:
            break
    else:
        return ()
    best = _best(of_way)
    labels = [] if way is not Way.MARKUP else _best(p for p in readings if p[0].way is Way.LABEL)
    values = {_key(one) for _, made in best for one in made.candidates}
    others = {_key(one) for _, made in labels for one in made.candidates}
    if labels and others and not values & others:
        best = [*best, *labels]
    candidates = _distinct(one for _, made in best for one in made.candidates)
    question = next((made.question for _, made in best if made.question), None)
    if len(candidates) == 1 and question is None:
        only = candidates[0]
        judged.found[name] = Found(only.value, only.written, only.line, best[0][0].way)
    elif candidates or question:
        judged.asked[name] = Asked(question or SEVERAL, candidates)
    return candidates


def _best(readings: Iterable[tuple[Said, Reading]]) -> list[tuple[Said, Reading]]:
    """Those of the best rank; of a price every one counts, because none may be overlooked."""
    listed = list(readings)
    best = min((one.rank for one, _ in listed), default=0)
    return [pair for pair in listed if pair[0].rank == best or pair[0].field == "price"]


def _key(one: Candidate) -> tuple[str, str]:
    return str(one.value).casefold(), one.currency or ""


def _distinct(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    found: dict[tuple[str, str], Candidate] = {}
    for one in candidates:
        found.setdefault(_key(one), one)
    return tuple(found.values())


class Plain:
    """Readers of the fields that are no times and no amounts."""

    def __init__(self, excerpts: Excerpts) -> None:
        self._of = excerpts

    def _one(self, said: Said, value: str | int | bool | None) -> Reading:
        if value is None or value == "":
            return Reading()
        return Reading((Candidate(value, self._of.of(said, said.text), said.line),))

    def reference(self, said: Said) -> Reading:
        """The first word behind the label: it has a figure, and is no date and no address."""
        whole = said.text.strip(" .:!?#")
        one = _REFERENCE.match(said.text.strip())
        named = one["named"].rstrip(".:!?") if one else ""
        if _IN_TWO.fullmatch(whole):
            named = whole
        is_short = len(named) < 3 and named != whole
        if not re.search("[0-9]", named) or is_short or "://" in named or "@" in named:
            return Reading()
        digits = re.sub("[ .\\-]", "", named)
        if re.fullmatch("[0-9]{13,19}", digits) and holds_luhn(digits):
            return Reading()  # most likely a card's number
        if _NO_NAME.fullmatch(named) or any(one.currencies for one in amounts_in(said.text[:40])):
            return Reading()
        return self._one(said, named)

    def line(self, said: Said) -> Reading:
        """A name of somebody: one line without an account's digits."""
        value = re.sub(r"\s*<[^<>]*>\s*$", "", said.text).strip(" \"'“”|")
        if not 1 < len(value) <= 120 or self._of.hides(value) or not re.search(r"\w", value):
            return Reading()
        return self._one(said, value)

    def link(self, said: Said) -> Reading:
        """An address of the web; one with a query or a fragment may carry a key and is left out."""
        one = _URL.search(said.text)
        url = one[0].rstrip(".,;:!?") if one else ""
        return (
            Reading() if not url or _SECRET.search(url) or len(url) > 500 else self._one(said, url)
        )

    def count(self, said: Said) -> Reading:
        """How many GPUs."""
        stripped = said.text.strip()
        one = _COUNT.search(stripped) or _AFTER_COUNT.search(stripped)
        digits = (one.groupdict().get("n") or one.groupdict().get("all")) if one else None
        return self._one(said, int(digits) if digits and int(digits) else None)

    def gpu(self, said: Said) -> Reading:
        """The name of a GPU without count, memory and maker."""
        value = re.split(r"[,;|–(]| - | @ ", said.text)[0]
        value = re.sub(r"^\s*[0-9]{1,4}\s?[x×]\s?|\s[x×]\s?[0-9]{1,4}\s*$", "", value, flags=re.I)
        value = re.sub(r"\b(?:NVIDIA|AMD|GeForce)\s+", "", value, flags=re.I)
        value = " ".join(_MEMORY.sub("", value).split())
        if not _GPU_NAME.search(value) or len(value) > 40 or self._of.hides(value):
            return Reading()
        return self._one(said, value)

    def memory(self, said: Said) -> Reading:
        """The memory of one GPU in GiB, as its maker counts it."""
        lone = re.fullmatch("[0-9]{1,5}", said.text.strip()) if said.whole else None
        one = lone or _MEMORY.search(said.text)
        return self._one(said, int(one[0] if lone else one["n"]) or None if one else None)

    def yes(self, said: Said) -> Reading:
        """Whether something is on."""
        value = said.text.strip()
        if _NO.match(value):
            return self._one(said, False)
        return self._one(said, True if _YES.match(value) else None)


def of_field(all_said: Sequence[Said], name: str) -> list[Said]:
    """What the text says of one field."""
    return [one for one in all_said if one.field == name]
