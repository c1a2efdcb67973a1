"""The two small grammars of the plan: `needed_if` of a step and `standing` of a decision point.

needed_if = STEP ("passes" | "does not pass") {("and" | "or") STEP …}     not mixed
standing  = "continue if" FACT {"and" FACT} ["; else" ("wait" | "cut" STEP)]
FACT      = SUBJECT "<=" FIGURE "x estimate" | SUBJECT "passed" | "no rule fired"
SUBJECT   = a step's id, or a role in words, as in "restore check"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from app.texts import Text, text

TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)?(?=[x×](?:\s|$))|<=|[≤;×<]|(?:[^\s;≤×<,]|,(?=\S))+|,")
FACTOR = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")
WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where a condition stops being one: characters from 0, and what is wrong there."""

    position: int
    message: Text


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a step's result must be: `passes` by the decision rule, or not."""

    step: str
    passes: bool


@dataclass(frozen=True, slots=True)
class NeededIf:
    """Verdicts of which all, or else any one, make a step needed."""

    verdicts: tuple[Verdict, ...]
    every: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact that a standing rule waits for.

    With `factor` the subject took at most that many times its estimate; without, it passed.
    No subject: no stop rule fired. `subject` is a step's id or a role in words.
    """

    subject: str | None
    factor: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Continue when all facts hold; otherwise wait for a person, or cut the step `cut`."""

    facts: tuple[Fact, ...]
    cut: str | None = None


def parse_needed_if(condition: str) -> NeededIf | Mistake:
    """The condition under which a step can still change the choice."""
    words = _Words(condition)
    try:
        verdicts, joint = [_verdict(words)], ""
        while not words.ended():
            allowed = (joint,) if joint else ("and", "or")
            joint = words.expect(*allowed)
            verdicts.append(_verdict(words))
    except _Stopped as stopped:
        return stopped.mistake
    return NeededIf(tuple(verdicts), joint != "or")


def parse_standing(condition: str) -> Standing | Mistake:
    """The rule that may decide at a decision point when its facts are in."""
    words = _Words(condition)
    try:
        words.expect("continue")
        words.expect("if")
        facts = [_fact(words)]
        while words.peek() == "and":
            words.expect("and")
            facts.append(_fact(words))
        cut = None
        if not words.ended():
            words.expect(";")
            words.expect("else")
            if words.expect(WAIT, "cut") == "cut":
                cut = words.name()
        words.end()
    except _Stopped as stopped:
        return stopped.mistake
    return Standing(tuple(facts), cut)


class _Stopped(Exception):
    """Ends a reading at its first mistake."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(str(mistake.message))
        self.mistake = mistake


def _verdict(words: _Words) -> Verdict:
    step = words.name()
    if words.expect("passes", "does", wanted="passes / does not pass") == "passes":
        return Verdict(step, passes=True)
    words.expect("not")
    words.expect("pass")
    return Verdict(step, passes=False)


def _fact(words: _Words) -> Fact:
    if words.peek() == "no":
        for word in ("no", "rule", "fired"):
            words.expect(word)
        return Fact(None)
    subject = [words.name()]
    while words.peek() not in ("<=", "≤", "passed"):
        subject.append(words.name("<=", "passed"))
    if words.expect("<=", "≤", "passed") == "passed":
        return Fact(" ".join(subject))
    factor = words.figure()
    words.expect("x", "×")
    words.expect("estimate")
    return Fact(" ".join(subject), factor)


class _Words:
    """The words of a condition, taken one after the other."""

    def __init__(self, condition: str) -> None:
        self._found = [(match.group(), match.start()) for match in TOKEN.finditer(condition)]
        self._at = 0
        self._length = len(condition)

    def peek(self) -> str:
        """The next word, empty at the end."""
        return "" if self.ended() else self._found[self._at][0]

    def ended(self) -> bool:
        """Whether all words are taken."""
        return self._at >= len(self._found)

    def expect(self, *allowed: str, wanted: str = "") -> str:
        """Take one of these words; `wanted` says them where they are only the beginning."""
        if self.peek() not in allowed:
            raise self._mistake(wanted or " / ".join(allowed))
        return self._take()

    def name(self, *instead: str) -> str:
        """Take a name: a step's id or a word of a role."""
        if not re.fullmatch("[a-z0-9][a-z0-9-]*", self.peek()) or self.peek() in ("and", "or"):
            raise self._mistake(" / ".join(instead) or text("the name of a step"))
        return self._take()

    def figure(self) -> Decimal:
        """Take a factor such as 1.3."""
        if not FACTOR.fullmatch(self.peek()):
            raise self._mistake("1.3")
        return Decimal(self._take())

    def end(self) -> None:
        """Refuse whatever is left."""
        if not self.ended():
            raise self._mistake(text("the end"))

    def _take(self) -> str:
        word = self.peek()
        self._at += 1
        return word

    def _mistake(self, wanted: str | Text) -> _Stopped:
        if self.ended():
            message = text("It ends where {wanted} is needed.", wanted=wanted)
            return _Stopped(Mistake(self._length, message))
        word, position = self._found[self._at]
        message = text(
            "“{given}” at character {position} stands where {wanted} is needed.",
            given=word[:40],
            position=position + 1,
            wanted=wanted,
        )
        return _Stopped(Mistake(position, message))
