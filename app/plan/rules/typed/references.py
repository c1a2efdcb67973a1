"""The names in a plan's mapping, kept together when a step or a corpus is renamed or removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from typing import Any

Document = dict[str, Any]


def rename_steps(document: Document, names: Mapping[str, str]) -> None:
    """Put the new ids of steps wherever the old ones are named."""
    if not names:
        return

    def renamed(name: str) -> str:
        return names.get(name, name)

    for step in document.get("steps", ()):
        for key in ("after", "follows"):
            _each(step, key, renamed)
        _inside(step, "needed_if", names)
    for point in document.get("decision_points", ()):
        point["step"] = renamed(point["step"])
        _inside(point, "standing", names)
    for rule in document.get("stop_rules", ()):
        _each(rule, "steps", renamed)


def forget_steps(document: Document, gone: Set[str]) -> None:
    """Take the ids of removed steps out of orders, decision points and lists of stop rules.

    A stop rule that was for removed steps alone keeps naming them, so that it is refused: with
    an empty list it would silently hold for every step.
    """
    if not gone:
        return
    for step in document.get("steps", ()):
        for key in ("after", "follows"):
            if key in step and isinstance(step[key], list):
                step[key] = [name for name in step[key] if name not in gone]
    points = document.get("decision_points", ())
    document["decision_points"] = [point for point in points if point["step"] not in gone]
    for rule in document.get("stop_rules", ()):
        left = [name for name in rule.get("steps", ()) if name not in gone]
        if left:
            rule["steps"] = left


def rename_corpora(document: Document, names: Mapping[str, str]) -> None:
    """Put the new ids of corpora wherever the old ones are named."""
    for deliverable in document.get("deliverables", ()):
        for check in deliverable.get("checks", ()):
            if check.get("corpus") in names:
                check["corpus"] = names[check["corpus"]]


def _each(table: Document, key: str, renamed: Callable[[str], str]) -> None:
    if isinstance(table.get(key), list):
        table[key] = list(dict.fromkeys(renamed(name) for name in table[key]))


def _inside(table: Document, key: str, names: Mapping[str, str]) -> None:
    """Ids as whole words of a condition."""
    if isinstance(table.get(key), str):
        table[key] = re.sub(
            r"[^\s;]+", lambda word: names.get(word.group(), word.group()), table[key]
        )
