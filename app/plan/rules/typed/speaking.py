"""What is wrong with a plan, said in the words of its forms rather than of the campaign file.

A file's reader is told what to write; a form's reader sees labels, and fields to leave empty.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Final

from app.plan.rules.document import Problem
from app.plan.rules.typed.delivering import CHECK, DELIVERABLE
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.labels import CHECK_KINDS, STEP_KINDS, STOP_KINDS
from app.plan.rules.typed.sections import SECTIONS
from app.plan.rules.typed.steps import STEP_ALL
from app.plan.rules.typed.tables import CAMPAIGN, DECISION_RULE
from app.texts import Text, text

Names = Mapping[str, Text]
"""The full names of a form's fields with the labels that they have on it."""

_FIELDS: Final[Mapping[str, tuple[Field, ...]]] = {
    **{section.key: section.fields for section in SECTIONS},
    "steps": STEP_ALL,
    "campaign": CAMPAIGN,
    "decision_rule": DECISION_RULE,
    "deliverables": (*DELIVERABLE, *CHECK),
}
_ROWS: Final[Mapping[str, Text]] = {
    **{section.key: section.row_label for section in SECTIONS},
    "deliverables": text("Deliverable"),
}
_KINDS: Final[Mapping[str, Mapping[str, Text]]] = {
    "steps": STEP_KINDS,
    "stop_rules": STOP_KINDS,
    "deliverables": CHECK_KINDS,
}
_ALONE: Final[Mapping[str, Text]] = {"parts": text("Estimate from its parts"), "id": text("Id")}

SPOKEN: Final[Mapping[str, Text]] = {
    "Missing; write for example {example}.": text("This is needed."),
    "“{given}” is not one of {allowed}.": text("“{given}” cannot be chosen here."),
    "“{given}” is already the {key} of {first}; each is used once.": text(
        "“{given}” is there twice; each is used once."
    ),
    "{given} is not a SHA-256: write its 64 hex digits, or leave the key out.": text(
        "{given} is not a SHA-256: type its 64 hex digits, or leave the field empty."
    ),
    "“{step}” has no estimate; write p50 or parts.": text(
        "“{step}” has no estimate: fill in “{p50}”, or the estimate from its parts."
    ),
    "“{step}” is a machine step; write gpus = 1 or more.": text(
        "“{step}” runs on the GPU: “{gpus}” is 1 or more."
    ),
    "“{step}” is a step of kind {kind} and takes no GPU; leave gpus out.": text(
        "“{step}” takes no GPU (“{kind}”): leave “{gpus}” empty."
    ),
    "“{step}” states both p50 and parts; keep one of them.": text(
        "“{step}” states both “{p50}” and an estimate from its parts; keep one of them."
    ),
    "p90 says nothing without p50 or parts.": text(
        "“{p90}” says nothing without “{p50}” or an estimate from its parts."
    ),
    "p90 is {p90}, which is less than the estimate of {p50}; it must be at least that.": text(
        "{p90} is less than the estimate of {p50}; it must be at least that."
    ),
    "units needs per_unit: the time for one of them.": text("“{units}” needs “{per_unit}”."),
    "per_unit needs units: how many of them there are.": text("“{per_unit}” needs “{units}”."),
    "Without an offer a lot states its own {key}.": text(
        "Without an offer a lot states “{key}” itself."
    ),
    'Missing: write threshold = "0.82", or gain_over_control = "0.02" for a difference.': text(
        "From which figure on is it yes? Fill in “{gain_over_control}” or “{threshold}”."
    ),
    "The rule states both threshold and gain_over_control; keep one of them.": text(
        "“{gain_over_control}” and “{threshold}” are both filled in; keep one of them."
    ),
    "A rule of kind {kind} needs {key}.": text("“{kind}” needs “{key}”."),
    "{key} has no effect on a rule of kind {kind}.": text("“{key}” has no effect on “{kind}”."),
    "By when is it compared with the control? Write after_step or after_hours.": text(
        "By when is it compared with the control? Fill in “{after_step}” or “{after_hours}”."
    ),
    'Is a higher or a lower {metric} better? Write better = "higher", or "lower".': text(
        "Is a higher or a lower {metric} better? Choose it under “{better}”."
    ),
    "How long may it last? Write after_hours, or a p90 at its steps.": text(
        "How long may it last? Fill in “{after_hours}”, or a P90 at its steps."
    ),
    "Which ids are expected? Name a corpus, or list them in ids.": text(
        "Which ids are expected? Fill in “{corpus}” or “{ids}”."
    ),
    'Missing: write file = "predictions.csv", where the ids are looked for.': text(
        "This is needed: where the ids are looked for, for example predictions.csv."
    ),
    'Missing: write command = "python reload.py", which must exit with 0.': text(
        "This is needed: a command that ends with exit code 0, for example python reload.py."
    ),
    'Missing: write file = "parameters.json", where the parameters stand.': text(
        "This is needed: the file of parameters, for example parameters.json."
    ),
    'Missing: write keys = ["learning_rate"], the parameters that must be there.': text(
        "This is needed: the parameters that must be there, one on each line."
    ),
    'Missing: write file = "predictions.csv", whose columns and rows count.': text(
        "This is needed: a table (CSV, TSV) or JSON lines, for example predictions.csv."
    ),
    'Missing: write command = "python score.py", which prints the value.': text(
        "This is needed: a command that prints the value, for example python score.py."
    ),
    'Missing: write value = "0.82", which the command must print again.': text(
        "This is needed: the value that the command must print again, for example 0.82."
    ),
    "Nothing is checked: name columns, rows or min_rows.": text(
        "Nothing is checked: fill in “{columns}”, “{rows}” or “{min_rows}”."
    ),
    "rows is an exact number and min_rows the least; keep one of them.": text(
        "“{rows}” and “{min_rows}” are both filled in; keep one of them."
    ),
    "{key} has no effect on a {kind} check.": text("“{key}” has no effect on “{kind}”."),
    "“{step}” is a step of kind {kind}; a decision point needs one of kind {wanted}.": text(
        "“{step}” is no decision point (“{kind}”)."
    ),
    "“{step}” is essential but after “{needed}”, which is useful and may be dropped; "
    "make “{needed}” essential, or name it in follows instead.": text(
        "“{step}” is essential but needs “{needed}”, which is useful and may be dropped; make "
        "“{needed}” essential, or choose it under “{follows}” instead."
    ),
    "“{step}” is essential but after “{needed}”, which is exploratory and may be dropped; "
    "make “{needed}” essential, or name it in follows instead.": text(
        "“{step}” is essential but needs “{needed}”, which is exploratory and may be dropped; "
        "make “{needed}” essential, or choose it under “{follows}” instead."
    ),
}
"""What is said of a file → what is said on a form. A placeholder that the file's sentence has no
value for is a key, and stands for that key's label."""


def spoken(problem: Problem, names: Names) -> Text:
    """A problem as a form says it, with the labels of the form that `names` tells."""
    message = problem.message
    said = SPOKEN.get(message.msgid)
    if said is None:
        return message
    return Text(said.msgid, {key: _value(key, problem, names) for key in _placeholders(said)})


def place_said(path: Sequence[str | int], names: Names) -> Text | None:
    """Where something is: `Step 3, P50`; None for what stands on no form."""
    parts = [str(part) for part in path]
    if not parts or parts[0] not in _FIELDS:
        return None
    label = _label(parts[-1], path, names)
    if parts[0] not in _ROWS or len(parts) == 1 or not parts[1].isdecimal():
        return label
    row = {"row": _ROWS[parts[0]], "n": int(parts[1]) + 1}
    if label is None or len(parts) == 2:
        return text("{row} {n}", **row)
    return text("{row} {n}, {label}", **row, label=label)


def _value(key: str, problem: Problem, names: Names) -> object:
    given = problem.message.values
    if key == "kind":
        return _KINDS[str(problem.path[0])].get(str(given[key]), given[key])
    if key == "key":
        return _label(str(given[key]), problem.path, names) or given[key]
    return given[key] if key in given else _label(key, problem.path, names)


def _label(key: str, path: Sequence[str | int], names: Names) -> Text | None:
    """The label of a key beside the place of a problem: as on this form, else as on its own."""
    table = [str(part) for part in path[:-1]]
    beside = ".".join([*table, key])
    if beside in names:
        return names[beside]
    fields = _FIELDS[str(path[0])]
    inside = ".".join([*(part for part in table[1:] if not part.isdecimal()), key])
    exact = {field.name: field.label for field in fields}
    by_key = {field.path[-1]: field.label for field in reversed(fields)}
    return _ALONE.get(key) or exact.get(inside) or by_key.get(key)


def _placeholders(said: Text) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(said.msgid) if name is not None]
