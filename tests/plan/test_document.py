"""A plan as a mapping and back: one canonical form, and a refusal that helps for each slip."""

from __future__ import annotations

import copy
import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plan.rules.document import Problem, from_document, to_document
from app.plan.rules.model import (
    DecisionRule,
    Plan,
    PlannedLot,
    PlannedStopRule,
    Step,
    StepClass,
    StepKind,
)
from tests.plan.generated import plans

RULE = {
    "metric": "f1",
    "better": "higher",
    "take": "final",
    "threshold": "0.82",
    "yes": "Ship.",
    "no": "Keep.",
}
SMALL: dict[str, Any] = {
    "format": "punktum/1",
    "campaign": {"id": "small", "question": "Ship?", "zone": "Europe/Berlin", "currency": "USD"},
    "decision_rule": RULE,
    "lots": [{"id": "lot-1", "gpus": 1, "hours": 72, "price": "47.14"}],
    "steps": [
        {"id": "prepare", "title": "Prepare", "kind": "human", "class": "essential", "p50": "4h"},
        {
            "id": "control",
            "title": "Control",
            "kind": "machine",
            "class": "essential",
            "gpus": 1,
            "after": ["prepare"],
            "parts": {"train": "9h", "load": "1h"},
        },
    ],
    "stop_rules": [{"id": "nan", "kind": "non_finite", "metric": "loss"}],
}


def changed(*path_and_value: Any) -> dict[str, Any]:
    """The small document with one value replaced (or added) at a path."""
    *path, last, value = path_and_value
    document = copy.deepcopy(SMALL)
    at: Any = document
    for part in path:
        at = at[part]
    at[last] = value
    return document


def without(*path: Any) -> dict[str, Any]:
    """The small document with one key taken out."""
    document = copy.deepcopy(SMALL)
    at: Any = document
    for part in path[:-1]:
        at = at[part]
    del at[path[-1]]
    return document


def problems(document: object) -> tuple[Problem, ...]:
    """The refusals of a document that must be refused."""
    found = from_document(document)
    assert isinstance(found, tuple), "this document was taken"
    return found


def plan(document: object) -> Plan:
    """The plan of a document that must be taken."""
    found = from_document(document)
    assert isinstance(found, Plan), [str(problem) for problem in found]
    return found


def canonical(made: Plan) -> bytes:
    """The bytes that a seal hashes."""
    document: Any = to_document(made)
    return rfc8785.dumps(document)


@pytest.mark.parametrize(
    ("typed", "bits", "written"),
    [
        ("200 Mbit/s", 200_000_000, "200 Mbit/s"),
        ("25MB/s", 200_000_000, "200 Mbit/s"),
        ("1.5 Gbit/s", 1_500_000_000, "1500 Mbit/s"),
        ("1234 bit/s", 1234, "1234 bit/s"),
        ("0.125 kB/s", 1000, "1 kbit/s"),
    ],
)
def test_a_rate_of_transfer_is_kept_in_whole_bits_per_second(
    typed: str, bits: int, written: str
) -> None:
    made = plan(changed("campaign", "transfer_rate", typed))

    assert made.transfer_rate_bps == bits
    campaign = to_document(made)["campaign"]
    assert isinstance(campaign, dict)
    assert campaign["transfer_rate"] == written


@given(plans())
def test_a_plan_survives_its_document(made: Plan) -> None:
    assert from_document(to_document(made)) == made


@given(plans())
def test_a_plan_survives_canonical_json(made: Plan) -> None:
    again = plan(json.loads(canonical(made)))
    assert again == made
    assert canonical(again) == canonical(made)


def test_the_document_leaves_out_what_is_default_and_keeps_the_order_of_keys() -> None:
    made = Plan(
        id="small",
        question="Ship?",
        zone="Europe/Berlin",
        currency="USD",
        decision_rule=DecisionRule(
            "f1", "higher", "final", "Ship.", "Keep.", threshold=Decimal("0.82")
        ),
        lots=(
            PlannedLot(
                "lot-1",
                gpus=2,
                hours=72,
                price_minor=4714,
                starts_at=datetime(2026, 11, 30, 8, tzinfo=timezone(timedelta(hours=1))),
            ),
        ),
        steps=(Step("a", "A", StepKind.MACHINE, StepClass.USEFUL, p50_s=5400, gpus=1),),
    )
    document = to_document(made)
    assert json.dumps(document) == json.dumps(
        {
            "format": "punktum/1",
            "campaign": {
                "id": "small",
                "question": "Ship?",
                "zone": "Europe/Berlin",
                "currency": "USD",
            },
            "decision_rule": RULE,
            "lots": [
                {
                    "id": "lot-1",
                    "gpus": 2,
                    "hours": 72,
                    "price": "47.14",
                    "starts_at": "2026-11-30T07:00:00Z",
                }
            ],
            "steps": [
                {
                    "id": "a",
                    "title": "A",
                    "kind": "machine",
                    "class": "useful",
                    "gpus": 1,
                    "p50": "1h 30m",
                }
            ],
        }
    )


def test_the_hash_of_a_plan_stays_what_it_was() -> None:
    """Plans were sealed with such hashes: another canonical form would disown them."""
    assert hashlib.sha256(canonical(plan(SMALL))).hexdigest() == (
        "a29c4b3ddcfef3cb5a2f7f6e57fdb6b6f99c094512be21c4d299b15852906678"
    )


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    (without("format"), "format", 'Missing; write for example format = "punktum/1".'),
    (changed("format", "punktum/9"), "format", "“punktum/9” is not read here"),
    (without("campaign"), "campaign", "Missing"),
    (without("campaign", "question"), "campaign.question", "Missing"),
    (without("decision_rule", "metric"), "decision_rule.metric", 'metric = "f1"'),
    (changed("decision_rule", []), "decision_rule", "a list stands where a table is needed"),
    (changed("steps", {}), "steps", "a table stands where a list is needed"),
    (changed("steps", 0, "x"), "steps[0]", "“x” stands where a table is needed"),
    (changed("step", []), "step", "did you mean “steps”?"),
    (changed("steps", 1, "p5O", "4h"), "steps[1].p5O", "did you mean “p50”?"),
    (changed("campaign", "colour", "red"), "campaign.colour", "known are id, question, zone"),
    (changed("campaign", "id", "Invoice Adapter"), "campaign.id", '"invoice-adapter"'),
    (changed("campaign", "id", "-a"), "campaign.id", "not an id"),
    (changed("campaign", "id", "a" * 65), "campaign.id", "at most 64"),
    (changed("campaign", "id", "*"), "campaign.id", "not an id"),
    (changed("campaign", "zone", "Europe/Berln"), "campaign.zone", 'Did you mean "Europe/Berlin"?'),
    (changed("campaign", "zone", "../etc/passwd"), "campaign.zone", "not a known time zone"),
    (changed("campaign", "currency", "usd"), "campaign.currency", 'Did you mean "USD"?'),
    (changed("campaign", "currency", "XAU"), "campaign.currency", "not a currency in which"),
    (changed("campaign", "currency", 1), "campaign.currency", "text in quotes is needed"),
    (changed("campaign", "people", "1"), "campaign.people", "a whole number is needed"),
    (changed("campaign", "people", True), "campaign.people", "true stands where"),
    (changed("campaign", "people", 1.0), "campaign.people", "1.0 stands where"),
    (changed("campaign", "people", 0), "campaign.people", "0 is outside 1 to 1000."),
    (changed("campaign", "people", 2**63), "campaign.people", "outside 1 to 1000"),
    (changed("campaign", "people", 10**5000), "campaign.people", "a very large number"),
    (changed("campaign", "research_decision", 1), "campaign.research_decision", "true or false"),
    (changed("campaign", "question", "q" * 501), "campaign.question", "501 characters"),
    (changed("campaign", "question", " "), "campaign.question", "Empty"),
    (changed("campaign", "question", "a\u0000b"), "campaign.question", "U+0000"),
    (changed("campaign", "question", "a\nb"), "campaign.question", "U+000A"),
    (changed("campaign", "question", "a\ud800b"), "campaign.question", "U+D800"),
    (changed("campaign", "budget", 50), "campaign.budget", 'Did you mean "50.00"?'),
    (changed("campaign", "transfer_rate", 200), "campaign.transfer_rate", '"200 Mbit/s"'),
    (changed("campaign", "transfer_rate", "200"), "campaign.transfer_rate", '"200 Mbit/s"'),
    (changed("campaign", "transfer_rate", "0 Mbit/s"), "campaign.transfer_rate", '"200 Mbit/s"'),
    (changed("campaign", "transfer_rate", "0.5 bit/s"), "campaign.transfer_rate", '"200 Mbit/s"'),
    (changed("campaign", "transfer_rate", "9 Mbps"), "campaign.transfer_rate", '"200 Mbit/s"'),
    (
        changed("campaign", "transfer_rate", "9007200 Gbit/s"),
        "campaign.transfer_rate",
        '"200 Mbit/s"',
    ),
    (changed("campaign", "tolerance", {"percent": -1}), "campaign.tolerance.percent", "outside"),
    (changed("decision_rule", "better", "more"), "decision_rule.better", "higher, lower"),
    (changed("decision_rule", "threshold", "0,82"), "decision_rule.threshold", '"0.82"'),
    (changed("decision_rule", "threshold", "nan"), "decision_rule.threshold", "not a finite"),
    (
        changed("decision_rule", "threshold", float("nan")),
        "decision_rule.threshold",
        "nan is not a finite figure",
    ),
    (changed("decision_rule", "threshold", "1e99"), "decision_rule.threshold", "not a finite"),
    (changed("decision_rule", "threshold", 10**5000), "decision_rule.threshold", "very large"),
    (changed("decision_rule", "yes", "y" * 4001), "decision_rule.yes", "at most 4000"),
    (changed("decision_rule", "metrics", {"f1": 1}), "decision_rule.metrics.f1", "text in quotes"),
    (changed("lots", 0, "price", 47.14), "lots[0].price", 'Did you mean "47.14"?'),
    (changed("lots", 0, "price", Decimal("47.1")), "lots[0].price", 'Did you mean "47.10"?'),
    (changed("lots", 0, "price", "47,14"), "lots[0].price", 'Did you mean "47.14"?'),
    (changed("lots", 0, "price", "47.145"), "lots[0].price", "47.14"),
    (changed("lots", 0, "price", "-1.00"), "lots[0].price", "negative"),
    (changed("lots", 0, "price", []), "lots[0].price", "a list stands where"),
    (changed("lots", 0, "starts_at", "2026-11-30T08:00:00"), "lots[0].starts_at", "offset"),
    (changed("lots", 0, "starts_at", datetime(2026, 11, 30, 8)), "lots[0].starts_at", "offset"),
    (
        changed("lots", 0, "starts_at", datetime(2026, 11, 30, 8).date()),
        "lots[0].starts_at",
        "a date without a time",
    ),
    (changed("lots", 0, "starts_at", "1999-01-01T00:00:00Z"), "lots[0].starts_at", "2000 to 2199"),
    (
        changed("lots", 0, "starts_at", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9)))),
        "lots[0].starts_at",
        "outside",
    ),
    (changed("lots", 0, "hours", 0), "lots[0].hours", "outside 1"),
    (changed("steps", 0, "kind", "humans"), "steps[0].kind", "human, machine, transfer"),
    (changed("steps", 0, "kind", ["human"]), "steps[0].kind", "a list stands where"),
    (changed("steps", 0, "p50", "48"), "steps[0].p50", 'Did you mean "48 h"?'),
    (changed("steps", 0, "p50", 4), "steps[0].p50", 'Did you mean "4 h"?'),
    (changed("steps", 0, "p50", "soon"), "steps[0].p50", 'Write for example "4h"'),
    (changed("steps", 0, "p50", "-3h"), "steps[0].p50", "negative"),
    (changed("steps", 0, "p50", 10**5000), "steps[0].p50", "a very large number"),
    (changed("steps", 0, "title", "t" * 201), "steps[0].title", "at most 200"),
    (changed("steps", 1, "after", "prepare"), "steps[1].after", '["pilot-decision"]'),
    (changed("steps", 1, "after", ["*"]), "steps[1].after[0]", "not an id"),
    (changed("steps", 1, "after", ["a", "a"]), "steps[1].after[1]", "named twice"),
    (changed("steps", 1, "after", ["a"] * 501), "steps[1].after", "at most 500"),
    (changed("steps", 1, "id", "prepare"), "steps[1].id", "already the id of steps[0]"),
    (changed("steps", 1, "parts", "9h"), "steps[1].parts", "a table is needed"),
    (changed("steps", 1, "parts", {"training": "9h"}), "steps[1].parts.training", "“train”"),
    (changed("steps", 1, "checkpoint", {"size": "big"}), "steps[1].checkpoint.size", '"40 GiB"'),
    (
        changed("steps", 1, "checkpoint", {"size": 10**5000}),
        "steps[1].checkpoint.size",
        "a very large number",
    ),
    (changed("stop_rules", 0, "kind", "nan"), "stop_rules[0].kind", "non_finite, below"),
    (changed("stop_rules", 0, "for", 0), "stop_rules[0].for", "outside 1"),
    (
        changed("corpora", [{"id": "eval", "sha256": "abc"}]),
        "corpora[0].sha256",
        "64 hex digits",
    ),
    (
        changed("decision_points", [{"step": "control"}, {"step": "control"}]),
        "decision_points[1].step",
        "already the step of decision_points[0]",
    ),
    (changed("bad\nkey", 1), '"bad\\nkey"', "Unknown key"),
]


@pytest.mark.parametrize(("document", "field", "said"), REFUSED)
def test_a_slip_is_refused_with_its_field_and_what_would_be_right(
    document: dict[str, Any], field: str, said: str
) -> None:
    (problem,) = problems(document)
    assert problem.field == field
    assert said in str(problem.message)


def test_the_value_that_was_found_is_kept_with_the_problem() -> None:
    (problem,) = problems(changed("steps", 0, "p50", "soon"))
    assert problem.value == "soon"
    assert str(problem) == f"steps[0].p50: {problem.message}"


def test_all_problems_are_told_at_once() -> None:
    document = changed("steps", 0, "p50", "48")
    document["campaign"]["zone"] = "Mars"
    document["lots"][0]["price"] = 47.14
    document["decision_rule"]["bettter"] = "higher"
    assert {problem.field for problem in problems(document)} == {
        "campaign.zone",
        "decision_rule.bettter",
        "lots[0].price",
        "steps[0].p50",
    }


def test_many_unknown_keys_are_counted() -> None:
    found = problems({**SMALL, **{f"k{number}": 1 for number in range(60)}})
    assert len(found) == 51
    assert str(found[-1]) == "10 more unknown keys."


@pytest.mark.parametrize("document", [None, 1, "x", [], {}])
def test_what_is_no_campaign_at_all_is_refused(document: object) -> None:
    assert problems(document)


def test_amounts_follow_the_currency() -> None:
    yen = changed("campaign", "currency", "JPY")
    yen["lots"][0]["price"] = "7071"
    assert plan(yen).lots[0].price_minor == 7071
    (problem,) = problems(changed("campaign", "currency", "JPY"))
    assert problem.field == "lots[0].price"


def test_an_unknown_currency_is_one_problem_and_not_one_for_each_amount() -> None:
    assert [p.field for p in problems(changed("campaign", "currency", "DOLLAR"))] == [
        "campaign.currency"
    ]


def test_text_is_kept_composed() -> None:
    assert plan(changed("campaign", "question", "Gro\u0308ße?")).question == "Größe?"


def test_line_ends_of_long_texts_become_line_feeds() -> None:
    assert plan(changed("decision_rule", "yes", "a\r\nb")).decision_rule.yes == "a\nb"


def test_durations_are_read_as_people_type_them_and_written_in_one_way() -> None:
    typed = plan(changed("steps", 0, "p50", "1 Tag 6 Std"))
    assert typed.steps[0].p50_s == 30 * 3600
    assert plan(to_document(typed)) == typed
    assert typed == plan(changed("steps", 0, "p50", "30h"))


def test_instants_of_all_spellings_are_one_instant() -> None:
    at = datetime(2026, 11, 30, 7, tzinfo=UTC)
    spellings: list[object] = [
        "2026-11-30T08:00:00+01:00",
        "2026-11-30T07:00:00Z",
        at.astimezone(timezone(timedelta(hours=7))),
    ]
    found = [plan(changed("lots", 0, "starts_at", spelling)) for spelling in spellings]
    assert {one.lots[0].starts_at for one in found} == {at}
    assert len({canonical(one) for one in found}) == 1


def test_a_figure_may_be_a_number_and_has_one_canonical_text() -> None:
    for given_as in ("0.820", ".82", "82e-2", 0.82, Decimal("0.82")):
        found = plan(changed("decision_rule", "threshold", given_as))
        rule = to_document(found)["decision_rule"]
        assert isinstance(rule, dict)
        assert rule["threshold"] == "0.82"


def test_a_hash_that_nobody_knows_yet_may_be_left_as_dots() -> None:
    found = plan(changed("corpora", [{"id": "eval", "sha256": "…"}]))
    assert found.corpora[0].sha256 is None


def test_null_reads_as_not_stated() -> None:
    assert plan(changed("campaign", "budget", None)).budget_minor is None


def test_a_gradient_norm_warns_after_five_unless_said_otherwise() -> None:
    rule = {"id": "norm", "kind": "non_finite", "metric": "grad_norm"}
    (found,) = plan(changed("stop_rules", [rule])).stop_rules
    assert (found.for_, found.act) == (5, "warn")
    (strict,) = plan(changed("stop_rules", [{**rule, "for": 1, "act": "stop"}])).stop_rules
    assert strict == PlannedStopRule("norm", "non_finite", "grad_norm", for_=1, act="stop")
    (loss,) = plan(SMALL).stop_rules
    assert (loss.for_, loss.act) == (1, "stop")


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text()
    | st.datetimes()
    | st.sampled_from(["human", "4h", "47.14", "a", "*", "USD", "\ud800", 10**4000])
)
KEYS = st.sampled_from(
    ["id", "title", "kind", "class", "p50", "parts", "after", "price", "starts_at", "checks", "for"]
)
JUNK = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
)
SECTIONS = st.sampled_from([*SMALL, "corpora", "deliverables", "decision_points", "uncertainties"])


@settings(max_examples=300)
@given(st.dictionaries(SECTIONS, JUNK | st.lists(JUNK, max_size=2), max_size=4))
def test_nothing_that_a_body_may_hold_raises(junk: dict[str, object]) -> None:
    found = from_document({**SMALL, **junk})
    if isinstance(found, Plan):
        assert from_document(to_document(found)) == found
    else:
        assert all(str(problem.message) for problem in found)
