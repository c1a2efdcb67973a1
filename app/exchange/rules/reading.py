"""From the text of a campaign file to a plan, or to a list of what is wrong and on which line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import tomllib

from app.exchange.rules.positions import line_of, positions
from app.offers.rules.trouble import of_line
from app.plan.rules.checks import malformed
from app.plan.rules.document import Path, Problem, dotted, from_document
from app.plan.rules.model import Plan
from app.texts import Text, text

LARGEST_FILE = 1024 * 1024
"""Bytes of the largest campaign file that is read."""

DEEP_KEY = re.compile(
    r"(?<![A-Za-z0-9_\\-])"
    r"""(?:(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){30}"""
)
WHERE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
LONG_NUMBER = re.compile(r"[0-9_]{4000,}")

EXPLAINED = {
    "Invalid value": text('This is no TOML value; texts stand in quotes, as in id = "eval".'),
    "Cannot overwrite a value": text("This key is stated a second time; keep one of them."),
    "Unterminated string": text("A text is not closed; it ends with the quote it began with."),
    "Expected '=' after a key in a key/value pair": text(
        "An equals sign is missing, as in people = 1."
    ),
    "Expected newline or end of document after a statement": text(
        "Something follows the value; one key with its value stands on a line."
    ),
    "Unclosed array": text("A list is not closed; put a comma between items and ] at its end."),
    "Unclosed inline table": text(
        "A table in curly brackets is not closed; it has commas between its keys and stands on "
        "one line."
    ),
}


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One thing wrong in a campaign file: its line from 1, its key, and what would be right."""

    line: int
    path: Path
    message: Text
    value: object = None

    @property
    def field(self) -> str:
        """The key in dotted form, as in `steps[2].p50`; empty where the text is no TOML."""
        return dotted(self.path)

    @property
    def sentence(self) -> Text:
        """The whole refusal for people: line, key, and what would be right."""
        return of_line(self.line, self.field, self.message)

    def __str__(self) -> str:
        return str(self.sentence)


def read_campaign_file(source: str | bytes) -> Plan | tuple[FileProblem, ...]:
    """The plan that a campaign file states, or everything that is wrong with it, by line.

    Never raises for what is in the file, whatever it is.
    """
    written = _decoded(source)
    if isinstance(written, FileProblem):
        return (written,)
    try:
        mapping = tomllib.loads(written, parse_float=_figure)
        lines = positions(written)
    except tomllib.TOMLDecodeError as error:
        return (_not_toml(str(error), written),)
    except RecursionError:
        message = text("Lists and tables lie too deep inside each other to be read.")
        return (FileProblem(1, (), message),)
    except ValueError:  # Python reads no whole number of more than 4300 digits
        found = LONG_NUMBER.search(written)
        line = written.count("\n", 0, found.start()) + 1 if found else 1
        return (FileProblem(line, (), text("This number is far too large.")),)
    plan = from_document(mapping)
    problems = malformed(plan) if isinstance(plan, Plan) else plan
    if isinstance(plan, Plan) and not problems:
        return plan
    return tuple(sorted((_placed(one, lines) for one in problems), key=lambda one: one.line))


def _decoded(source: str | bytes) -> str | FileProblem:
    """The text without a byte order mark, unless it is not UTF-8, too large or hostile."""
    if len(source) > LARGEST_FILE:
        return FileProblem(1, (), text("The file is larger than 1 MiB."))
    try:
        written = source if isinstance(source, str) else source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return FileProblem(line, (), text("The file is not UTF-8 from here on."))
    written = written.removeprefix("\ufeff")
    # tomllib takes a time that grows with the square of the parts of a dotted key.
    deep = DEEP_KEY.search(written)
    if deep is not None:
        line = written.count("\n", 0, deep.start()) + 1
        return FileProblem(line, (), text("This key has too many parts to be read."))
    return written


def _figure(written: str) -> Decimal:
    """A TOML float exactly as written, so that a refusal can show it and 0.1 stays 0.1."""
    try:
        return Decimal(written)
    except InvalidOperation:
        return Decimal("Infinity")


def _not_toml(reason: str, written: str) -> FileProblem:
    where = WHERE.search(reason)
    last = written.count("\n") + 1
    line = int(where[1]) if where and where[1] else last
    said = WHERE.sub("", reason)
    message = EXPLAINED.get(said) or text("This is not valid TOML: {reason}.", reason=said)
    if said == "Invalid value" and where and not where[1]:
        message = text("The file ends in the middle of a value.")
    return FileProblem(line, (), message)


def _placed(problem: Problem, lines: dict[Path, int]) -> FileProblem:
    line = line_of(problem.path, lines)
    return FileProblem(line, problem.path, problem.message, problem.value)
