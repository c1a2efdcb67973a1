"""The campaign file: in and out without loss, and each mistake with its line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.exchange.rules import FileProblem, read_campaign_file, write_campaign_file
from app.offers.rules import read_catalogue
from app.plan.rules.checks import unsealable, warnings
from app.plan.rules.lots import resolve_lots
from app.plan.rules.model import Plan
from app.plan.rules.schedule import schedule
from tests.plan.generated import plans

SAMPLE = files("app.exchange").joinpath("samples/invoice-adapter.toml").read_text("utf-8")

# The example of the documentation, with the steps that it leaves out.
DOCUMENTED = Path(__file__).with_name("documented.toml").read_text("utf-8")


def plan(source: str | bytes) -> Plan:
    """The plan of a file that must be taken."""
    found = read_campaign_file(source)
    assert isinstance(found, Plan), [str(problem) for problem in found]
    return found


def problems(source: str | bytes) -> tuple[FileProblem, ...]:
    """The refusals of a file that must be refused."""
    found = read_campaign_file(source)
    assert isinstance(found, tuple), "this file was taken"
    assert found
    return found


@given(plans())
def test_import_of_export_is_identity(made: Plan) -> None:
    source = write_campaign_file(made)
    assert read_campaign_file(source) == made
    assert write_campaign_file(plan(source)) == source


def test_the_documented_example_is_taken_and_means_what_it_says() -> None:
    found = plan(DOCUMENTED)
    control = found.steps[4]
    assert (control.id, control.estimate_s()) == ("control", (10 * 60 + 35) * 60)
    assert found.decision_rule.metrics == (("f1", "eval_f1"),)
    assert found.lots[0].starts_at is not None
    assert found.lots[0].starts_at.isoformat() == "2026-11-30T07:00:00+00:00"
    assert plan(write_campaign_file(found)) == found


def test_the_export_keeps_the_order_of_the_documented_example() -> None:
    def keys(source: str) -> list[str]:
        plain = re.sub(r"#.*", "", source)
        return re.findall(r"^(?:\[+[a-z_]+\]+|[a-z_0-9]+(?= =))", plain, re.MULTILINE)

    exported = keys(write_campaign_file(plan(DOCUMENTED)))
    documented = iter(keys(DOCUMENTED))
    assert all(any(key == other for other in documented) for key in exported)


def test_the_sample_is_in_the_canonical_form() -> None:
    assert write_campaign_file(plan(SAMPLE)) == SAMPLE


def test_the_sample_is_ready_to_be_sealed_without_a_warning() -> None:
    found = plan(SAMPLE)
    assert unsealable(found) == ()
    assert warnings(found) == ()


def test_the_sample_is_48_hours_on_one_gpu_and_leaves_24() -> None:
    found = plan(SAMPLE)
    lots = resolve_lots(found, read_catalogue())
    assert (lots.problems, [lot.gpus for lot in lots.windows]) == ((), [1])
    planned = schedule(found.steps, lots.windows, found.people)
    assert planned.fits
    assert planned.end_min == 48 * 60
    assert planned.uncommitted_min == 24 * 60
    assert planned.dropped == ()
    assert planned.not_included == ("longer-context",)
    placed = [placement.step for placement in planned.placements]
    assert sorted(placed) == sorted({step.id for step in found.steps} - {"longer-context"})


def test_the_ids_beside_the_sample_are_those_of_its_corpus() -> None:
    (corpus,) = plan(SAMPLE).corpora
    assert corpus.ids_file == "ids.txt"
    content = files("app.exchange").joinpath("samples/ids.txt").read_bytes()
    assert len(set(content.decode().split())) == corpus.rows
    assert hashlib.sha256(content).hexdigest() == corpus.sha256


def test_local_time_stands_beside_an_instant() -> None:
    exported = write_campaign_file(plan(DOCUMENTED))
    assert 'starts_at = "2026-11-30T07:00:00Z" # 2026-11-30 08:00 Europe/Berlin\n' in exported


def test_long_lists_break_into_lines() -> None:
    ids = ", ".join(f'"invoice-{number:04}"' for number in range(1200))
    found = plan(DOCUMENTED.replace('ids_file = "ids.txt"', f"ids = [{ids}]"))
    exported = write_campaign_file(found)
    assert max(len(row) for row in exported.split("\n") if "invoice-0" in row) <= 100
    assert plan(exported) == found


SLIPS = [
    ('p50 = "4h"', 'p50 = "48"', 'p50 = "48"', "steps[0].p50", "Did you mean"),
    ('zone = "Europe/Berlin"', 'zone = "Berlin"', "zone =", "campaign.zone", "not a known time"),
    ("percent = 10", "percen = 10", "tolerance =", "campaign.tolerance.percen", "“percent”"),
    ('f1 = "eval_f1"', "f1 = 1", "metrics =", "decision_rule.metrics.f1", "text in quotes"),
    (
        '[[steps]]\nid = "pilot"\n',
        "[[steps]] # no id\n",
        "# no id",
        "steps[1].id",
        'Missing; write for example id = "control".',
    ),
    ('inputs = "20m"', 'inputs = "long"', "parts =", "steps[4].parts.long_inputs", '"20m"'),
    (
        'steps = ["control", ',
        'steps = [\n"contrl",\n',
        '"contrl"',
        "stop_rules[0].steps[0]",
        "“control”",
    ),
    (
        'corpus = "eval", ',
        'corpus = "evil", ',
        '"evil"',
        "deliverables[0].checks[1].corpus",
        "eval",
    ),
    (
        'command = "python reload.py", ',
        "",
        '"reload"',
        "deliverables[0].checks[3].command",
        "Missing",
    ),
    (
        'after = ["prepare"]',
        'after = ["control"]',
        'after = ["control"]',
        "steps[1].after[0]",
        "pilot → control → pilot-decision → restore → pilot",
    ),
    ("-a does not pass", "-a fails", "-a fails", "steps[6].needed_if", "character 11"),
    ("[[corpora]]", "[[corpus]]", "[[corpus]]", "corpus", "“corpora”"),
    ('format = "punktum/1"\n', "\n", "", "format", "Missing"),
    ("[campaign]", "[campain]", "[campain]", "campain", "“campaign”"),
]


def line_with(marker: str, source: str) -> int:
    """The number of the first line that holds the marker."""
    return next(n for n, row in enumerate(source.split("\n"), 1) if marker in row)


@pytest.mark.parametrize(("right", "wrong", "marker", "field", "said"), SLIPS)
def test_a_slip_is_told_with_its_line(
    right: str, wrong: str, marker: str, field: str, said: str
) -> None:
    assert right in DOCUMENTED
    source = DOCUMENTED.replace(right, wrong, 1)
    (slip,) = [one for one in problems(source) if one.field == field]
    assert slip.line == line_with(marker, source)
    assert said in str(slip.message)
    assert str(slip) == f"Line {slip.line}, {field}: {slip.message}"


NOT_TOML = [
    ('id = "eval"', "id = eval", "id = eval", "texts stand in quotes"),
    ('id = "eval"', 'id = "eval', 'id = "eval', "This is not valid TOML: Illegal character"),
    ('id = "eval"', "id eval", "id eval", "An equals sign is missing"),
    ('id = "eval"', 'id = "eval" "b"', '"b"', "one key with its value stands on a line"),
    ("rows = 1200", 'id = "again"', "again", "stated a second time"),
    ("rows = 1200", f"rows = {'9' * 5000}", "rows", "far too large"),
    ("rows = 1200", f"rows = {'[' * 5000}", "format", "too deep"),
    ("rows = 1200", f"a{'.a' * 30} = 1", "a.a.a", "too many parts"),
    ("rows = 1200", "a" + ' . \',\'. "\\"."' * 15 + " = 1", "a . '", "too many parts"),
    (
        'text = "How long do the longest invoices take?"\n',
        "text = [ # end",
        "# end",
        "ends in the middle of a value",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "marker", "said"), NOT_TOML)
def test_what_is_no_toml_is_told_with_its_line(
    right: str, wrong: str, marker: str, said: str
) -> None:
    assert right in DOCUMENTED
    source = DOCUMENTED.replace(right, wrong, 1)
    (problem,) = problems(source)
    assert (problem.line, problem.field) == (line_with(marker, source), "")
    assert said in str(problem)


def test_problems_come_in_the_order_of_their_lines() -> None:
    wrong = DOCUMENTED.replace('"4h"', '"soon"').replace('"USD"', '"DM"').replace("1200", "-1")
    found = problems(wrong)
    assert [one.field for one in found] == [
        "campaign.currency",
        "corpora[0].rows",
        "steps[0].p50",
        "steps[1].p50",
    ]
    assert [one.line for one in found] == sorted({one.line for one in found})


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "1e9999999999999999999"])
def test_what_is_not_finite_is_refused(number: str) -> None:
    wrong = DOCUMENTED.replace('gain_over_control = "0.02"', f"gain_over_control = {number}")
    (problem,) = problems(wrong)
    assert (problem.line, problem.field) == (16, "decision_rule.gain_over_control")


def test_a_price_as_a_number_is_answered_with_the_text_it_should_be() -> None:
    wrong = DOCUMENTED.replace(
        'offer = "iteragpu/rtx-4090/3d"', "price = 47.1\nhours = 72\ngpus = 1"
    )
    (problem,) = problems(wrong)
    assert problem.field == "lots[0].price"
    assert 'Did you mean "47.10"?' in str(problem)


def test_bytes_are_utf_8() -> None:
    assert plan(SAMPLE.encode()) == plan(SAMPLE)
    assert plan(b"\xef\xbb\xbf" + SAMPLE.encode()) == plan(SAMPLE)
    (problem,) = problems(SAMPLE.encode().replace(b"none?", b"n\xf6ne?"))
    assert problem.line == 5
    assert "UTF-8" in str(problem)


def test_line_ends_of_windows_change_nothing() -> None:
    assert plan(SAMPLE.replace("\n", "\r\n")) == plan(SAMPLE)


def test_dots_that_part_no_keys_are_taken() -> None:
    dots = f'no = "{"." * 200} {"a." * 29}"\n# {"." * 200}'
    assert plan(DOCUMENTED.replace('no = "', f'{dots}\n# "', 1)).decision_rule.no.count(".") == 229


def test_a_file_too_large_is_not_read() -> None:
    (problem,) = problems(SAMPLE + "#" * (1024 * 1024))
    assert "larger than 1 MiB" in str(problem)


NOISE: list[str] = [*"\"'[]{}=.,\n\x00\ud800\u202eé0#\\\r-", "[[steps]]\n", "nan", "  ", '"""']
VALUES: list[str] = [
    *('"x"', "1", "-1", "1e400", "nan", "true", "[]", "{}", '["a", 1, []]', '"4h"', '"*"', '["*"]'),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00", "0x7fffffffffffffffffff", '"\\u0000"'),
    *("[[[[]]]]", '{ kind = "reload" }', '[{ kind = "reload", ids = ["a"] }]'),
]


def _mutated(seed: int) -> str:
    """A sample after a few edits that a careless or a hostile hand might make."""
    random = Random(seed)
    source = random.choice([SAMPLE, DOCUMENTED])
    for _ in range(random.randint(1, 4)):
        edit = random.choice(EDITS)
        source = edit(source, random)
    return source


def _cut(source: str, random: Random) -> str:
    """A stretch taken out, or said twice."""
    at = random.randrange(len(source))
    return source[:at] + source[max(0, at + random.choice([1, 5, 40, -1, -40])) :]


def _put(source: str, random: Random) -> str:
    """Noise put in."""
    at = random.randrange(len(source))
    return source[:at] + random.choice(NOISE) + source[at + random.randint(0, 1) :]


def _rows(source: str, random: Random) -> str:
    """A row replaced by another one, or pushed down by it."""
    rows = source.split("\n")
    at = random.randrange(len(rows))
    return "\n".join([*rows[:at], random.choice(rows), *rows[at + random.randint(0, 1) :]])


def _other_value(source: str, random: Random) -> str:
    """Another value for one key."""
    keys = list(re.finditer(r"(?<== ).*", source))
    if not keys:
        return random.choice(VALUES)
    start, end = random.choice(keys).span()
    return source[:start] + random.choice(VALUES) + source[end:]


EDITS: list[Callable[[str, Random], str]] = [_cut, _put, _rows, _other_value]


@settings(max_examples=600)
@given(st.integers(0, 2**32 - 1).map(_mutated))
def test_a_mutated_file_is_taken_or_refused_but_never_raises(source: str) -> None:
    found = read_campaign_file(source)
    if isinstance(found, Plan):
        assert plan(write_campaign_file(found)) == found
        return
    assert found
    for problem in found:
        assert 1 <= problem.line <= source.count("\n") + 1
        assert str(problem)
