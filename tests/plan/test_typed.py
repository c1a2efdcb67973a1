"""Plans as typed into forms: an untouched form changes nothing, an edit changes what it says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from app.plan.rules.document import FORMAT, from_document, to_document
from app.plan.rules.model import Plan, StopKind
from app.plan.rules.slugs import free_slug, slug
from app.plan.rules.stopping import TAKEN
from app.plan.rules.typed.campaign import (
    campaign_names,
    edited_campaign,
    one_more,
    settled,
    shown_deliverables,
    shown_tables,
    typed_deliverables,
)
from app.plan.rules.typed.editing import KEPT, WAS, edited, edited_step, shown
from app.plan.rules.typed.judging import ELSEWHERE, judged
from app.plan.rules.typed.pattern import usual_protocol
from app.plan.rules.typed.rows import act, numbered
from app.plan.rules.typed.sections import BY_SLUG, LOTS, SECTIONS, STEPS
from app.plan.rules.typed.steps import STEP_ALL
from app.plan.rules.typed.writing import write_table
from tests.plan.drafts import sample, small
from tests.plan.generated import plans

Row = dict[str, str]


def _sent(row: Row) -> Row:
    """A row as a browser sends it: with its own line ends."""
    return {name: value.replace("\n", "\r\n") for name, value in row.items()}


def _campaign_sent(document: dict[str, Any]) -> Row:
    typed = dict(shown_tables(document))
    for number, row in enumerate(shown_deliverables(document)):
        typed |= {f"deliverables.{number}.{name}": said for name, said in row.values.items()}
    return _sent(typed)


def _edited(section: str, rows: list[Row], plan: Plan | None = None) -> dict[str, Any]:
    done = edited(to_document(plan or sample()), BY_SLUG[section], rows)
    assert (done.errors, done.questions) == ({}, {})
    return done.document


@settings(max_examples=40, deadline=None)
@given(plans())
def test_forms_sent_as_they_were_shown_change_nothing(plan: Plan) -> None:
    document: dict[str, Any] = to_document(plan)
    for section in SECTIONS:
        done = edited(document, section, [_sent(row) for row in shown(document, section)])
        assert (done.errors, done.questions) == ({}, {})
        assert from_document(done.document) == plan
    for index, step in enumerate(document.get("steps", ())):
        done = edited_step(document, index, _sent(write_table(STEP_ALL, step)))
        assert from_document(done.document) == plan
    assert from_document(edited_campaign(document, _campaign_sent(document)).document) == plan


def test_a_new_step_is_named_and_takes_a_gpu_by_its_kind() -> None:
    rows = [
        {"title": "First pilot!", "kind": "machine", "class": "essential", "p50": "90 min"},
        {"title": "First pilot", "kind": "human", "class": "useful", "p50": "1,5 h", "gpus": "1"},
        {"title": "", "kind": "machine", "class": "essential", "p50": "  "},
    ]
    document = _edited("steps", rows, small())
    assert document["steps"] == [
        {"id": "first-pilot", "title": "First pilot!", "kind": "machine", "class": "essential",
         "p50": "90 min", "gpus": 1},
        {"id": "first-pilot-2", "title": "First pilot", "kind": "human", "class": "useful",
         "p50": "1,5 h"},
    ]  # fmt: skip
    plan = from_document(document)
    assert isinstance(plan, Plan)
    assert [step.p50_s for step in plan.steps] == [5400, 5400]


def test_a_renamed_step_is_followed_by_all_that_name_it() -> None:
    rows = shown(to_document(sample()), STEPS)
    rows[_at(rows, "variant-a")]["id"] = "rank-16"
    document = _edited("steps", rows)
    plan = judged(document, {})
    assert isinstance(plan, Plan)
    steps = {step.id: step for step in plan.steps}
    assert steps["evaluation"].after == ("control", "rank-16")
    assert steps["variant-b"].needed_if == "rank-16 does not pass"
    assert plan.stop_rules[2].steps == ("control", "rank-16", "variant-b")


def test_a_removed_step_is_forgotten_where_that_changes_no_rule() -> None:
    rows = shown(to_document(sample()), STEPS)
    del rows[_at(rows, "pilot-decision")]
    plan = judged(_edited("steps", rows), {})
    assert isinstance(plan, Plan)
    assert plan.decision_points == ()
    assert next(step for step in plan.steps if step.id == "control").after == ()


def test_a_rule_for_removed_steps_alone_is_never_widened_to_all_steps() -> None:
    document: dict[str, Any] = to_document(sample())
    document["stop_rules"][2]["steps"] = ["longer-context"]
    rows = shown(document, STEPS)
    del rows[_at(rows, "longer-context")]
    found = judged(edited(document, STEPS, rows).document, {})
    assert not isinstance(found, Plan)
    assert list(found) == [f"{ELSEWHERE}stop_rules[2].steps[0]"]


def test_another_offer_takes_the_figures_of_the_old_one_with_it() -> None:
    document: dict[str, Any] = to_document(sample())
    document["lots"][0] |= {"gpus": 1, "hours": 72, "price": "47.14"}
    rows = shown(document, LOTS)
    rows[0]["offer"] = "iteragpu/rtx-4090/7d"
    (lot,) = edited(document, LOTS, rows).document["lots"]
    assert lot == {"id": "lot-1", "offer": "iteragpu/rtx-4090/7d"}


def test_own_figures_of_a_lot_are_read_as_people_type_them() -> None:
    rows = [{"offer": "", "gpus": "2", "hours": "72", "price": "1.234,50",
             "starts_at": "2026-11-30T08:00"}]  # fmt: skip
    document = _edited("lots", rows)
    assert document["lots"] == [
        {"id": "lot-1", "gpus": 2, "hours": 72, "price": "1234.50",
         "starts_at": "2026-11-30T07:00:00Z"}
    ]  # fmt: skip


def test_a_local_time_that_happens_twice_is_asked() -> None:
    row = {"id": "lot-1", "offer": "iteragpu/rtx-4090/3d", "starts_at": "2026-10-25T02:30"}
    document: dict[str, Any] = to_document(sample())
    done = edited(document, LOTS, [row])
    (question,) = done.questions.values()
    assert [f"{at:%H:%M}" for at in (question.first_at, question.second_at)] == ["00:30", "01:30"]
    assert list(done.errors) == ["lots.0.starts_at"]
    for fold, hour in (("first", "00"), ("second", "01")):
        answered = edited(document, LOTS, [{**row, "starts_at_fold": fold}])
        assert answered.errors == {}
        (lot,) = answered.document["lots"]
        assert lot["starts_at"] == f"2026-10-25T{hour}:30:00Z"


def test_a_local_time_that_never_happens_is_refused_with_its_neighbours() -> None:
    row = {"id": "lot-1", "offer": "iteragpu/rtx-4090/3d", "starts_at": "2027-03-28T02:30"}
    done = edited(to_document(sample()), LOTS, [row])
    said = done.errors["lots.0.starts_at"]
    assert (said.values["before"], said.values["after"]) == ("01:59", "03:00")


def test_a_time_keeps_its_seconds_while_nobody_touches_it() -> None:
    document: dict[str, Any] = to_document(sample())
    document["lots"][0]["starts_at"] = "2026-11-30T07:00:41Z"
    (lot,) = edited(document, LOTS, shown(document, LOTS)).document["lots"]
    assert lot["starts_at"] == "2026-11-30T07:00:41Z"


def test_many_ids_are_kept_without_being_shown() -> None:
    document: dict[str, Any] = to_document(sample())
    document["corpora"] = [{"id": "eval", "ids": [f"i-{n}" for n in range(3000)]}]
    (row,) = shown(document, BY_SLUG["corpora"])
    assert (row["ids"], row[KEPT]) == ("", "3000")
    (corpus,) = edited(document, BY_SLUG["corpora"], [row]).document["corpora"]
    assert len(corpus["ids"]) == 3000
    (corpus,) = edited(document, BY_SLUG["corpora"], [{**row, "ids": "a\r\nb"}]).document["corpora"]
    assert corpus["ids"] == ["a", "b"]


def test_a_renamed_corpus_is_followed_by_its_checks() -> None:
    rows = shown(to_document(sample()), BY_SLUG["corpora"])
    rows[0]["id"] = "held-out"
    plan = judged(_edited("corpora", rows), {})
    assert isinstance(plan, Plan)
    named = {check.corpus for one in plan.deliverables for check in one.checks if check.corpus}
    assert named == {"held-out"}


def test_problems_find_their_fields() -> None:
    rows = [{"title": "Train", "kind": "machine", "class": "essential", "p50": "48", "after": "x"}]
    done = edited(to_document(small()), STEPS, rows)
    names = {f"steps.0.{field.name}": field.label for field in STEPS.fields}
    found = judged(done.document, names)
    assert not isinstance(found, Plan)
    assert set(found) == {"steps.0.p50"}
    found = judged({**done.document, "steps": [{**done.document["steps"][0], "p50": "48h"}]}, names)
    assert not isinstance(found, Plan)
    assert set(found) == {"steps.0.after"}


def _at(rows: list[Row], step: str) -> int:
    return next(n for n, row in enumerate(rows) if row[WAS] == step)


TYPED = {"steps.4.title": "B", "steps.0.title": "A", "steps.__n__.title": "", "steps.9.title": "C",
         "other.1.title": "X", "steps.x": "?"}  # fmt: skip


def test_rows_are_read_in_the_order_of_their_numbers() -> None:
    assert [row["title"] for row in numbered(TYPED, "steps")] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("action", "titles"),
    [("add:steps", "ABC-"), ("remove:steps:4", "AC"), ("up:steps:9", "ACB"), ("up:steps:0", "ABC"),
     ("down:steps:0", "BAC"), ("down:steps:9", "ABC"), ("copy:steps:4", "ABBC"),
     ("below:steps:0", "A-BC"), ("remove:steps:1", "ABC"), ("remove:steps:", "ABC"),
     ("save", "ABC"), ("remove:lots:4", "ABC")],
)  # fmt: skip
def test_buttons_move_rows_by_their_own_numbers(action: str, titles: str) -> None:
    rows = act(numbered(TYPED, "steps"), action, "steps", {"title": "-"})
    assert "".join(row["title"] for row in rows) == titles


def test_a_copy_is_a_row_of_its_own() -> None:
    rows = [{"title": "A", "id": "a", WAS: "a", "#": "0"}]
    assert act(rows, "copy:steps:0", "steps", {})[1] == {"title": "A"}


def test_checks_of_a_deliverable_by_their_boxes() -> None:
    typed = {**_campaign_sent(to_document(small())), "deliverables.0.title": "The model"}
    typed |= {
        "deliverables.0.kind": "artifact", "deliverables.0.essential": "yes",
        "deliverables.0.checks.0.kind": "non_empty", "deliverables.0.checks.0.use": "yes",
        "deliverables.0.checks.1.kind": "base_revision",
        "deliverables.0.checks.2.kind": "reload", "deliverables.0.checks.2.command": "python r.py",
        "deliverables.0.checks.2.corpus": "not of this kind",
    }  # fmt: skip
    done = edited_campaign(to_document(small()), typed)
    assert done.document["deliverables"] == [
        {"id": "the-model", "title": "The model", "kind": "artifact",
         "checks": [{"kind": "non_empty"}, {"kind": "reload", "command": "python r.py"}]}
    ]  # fmt: skip
    assert isinstance(judged(done.document, {}), Plan)


def test_a_problem_of_a_check_stands_at_the_check_as_shown_again() -> None:
    typed = {**_campaign_sent(to_document(small())), "deliverables.3.title": "The model"}
    typed |= {
        "deliverables.3.kind": "artifact", "deliverables.3.essential": "yes",
        "deliverables.3.checks.0.kind": "non_empty",
        "deliverables.3.checks.4.kind": "reload", "deliverables.3.checks.4.use": "yes",
    }  # fmt: skip
    done = edited_campaign(to_document(small()), typed)
    rows = [settled(row) for row in done.rows]
    found = judged(done.document, campaign_names(rows))
    assert not isinstance(found, Plan)
    assert list(found) == ["deliverables.0.checks.0.command"]
    (again,) = typed_deliverables(rows)
    assert (again.checks[0].kind, again.checks[0].used) == ("reload", True)
    assert [slot.kind for slot in again.checks[1:] if slot.used] == []


def test_one_more_check_of_a_kind_that_is_there() -> None:
    (row, *_) = [row.values for row in shown_deliverables(to_document(sample()))]
    rows = one_more([{**row, "#": "0"}], "more:deliverables:0:expected_ids")
    (again,) = typed_deliverables(rows)
    assert [slot.kind for slot in again.checks if slot.used].count("expected_ids") == 2


def test_the_usual_protocol_is_a_plan_that_only_lacks_times() -> None:
    document = {**to_document(small("new-one")), "lots": [], **usual_protocol(str)}
    plan = judged(document, {})
    assert isinstance(plan, Plan)
    assert len(plan.steps) == 10
    assert document["format"] == FORMAT


@pytest.mark.parametrize(
    ("sentence", "id_"),
    [("Which adapter rank do we ship: 16, 32, or none?", "which-adapter-rank-do-we-ship-16-32-or"),
     ("Größe des Adapters", "grosse-des-adapters"), ("Điều gì quyết định?", "dieu-gi-quyet-dinh"),
     ("  ", ""), ("漢字", ""), ("a" * 80, "a" * 40)],
)  # fmt: skip
def test_ids_are_proposed_from_sentences(sentence: str, id_: str) -> None:
    assert slug(sentence) == id_


def test_a_proposed_id_is_free() -> None:
    assert free_slug("Train", {"train", "train-2"}, "step") == "train-3"
    assert free_slug("?", {"step"}, "step") == "step-2"


@pytest.mark.parametrize("kind", [kind for kind in StopKind if "metric" not in TAKEN[kind]])
def test_what_a_new_row_came_with_is_not_held_against_another_kind(kind: StopKind) -> None:
    """A new row comes with the metric loss; a kind that takes none is not refused for it."""
    section = BY_SLUG["stop-rules"]
    empty = {field.name: "" for field in section.fields}
    row: dict[str, str] = {**empty, **section.blank, "kind": str(kind)}
    row |= {"after_hours": "2"} if "after_hours" in TAKEN[kind] else {}
    done = edited(to_document(small()), section, [row])
    (rule,) = done.document["stop_rules"]
    assert rule["kind"] == str(kind)
    assert "metric" not in rule
    assert done.errors == {}


def test_a_row_that_nobody_filled_in_is_left_out() -> None:
    section = BY_SLUG["stop-rules"]
    row = {field.name: "" for field in section.fields} | {"kind": str(section.blank["kind"])}
    assert edited(to_document(small()), section, [row]).document.get("stop_rules", []) == []


def test_a_metric_that_was_typed_is_never_dropped() -> None:
    section = BY_SLUG["stop-rules"]
    row = {field.name: "" for field in section.fields} | {"kind": "custom", "metric": "f1"}
    (rule,) = edited(to_document(small()), section, [row]).document["stop_rules"]
    assert rule["metric"] == "f1"
