"""The usual protocol as a first draft: one control, two variants, and what makes them count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.texts import Text, text

_TITLES: dict[str, Text] = {
    "prepare": text("Prepare environment and data"),
    "data-check": text("Check the data"),
    "pilot": text("Pilot"),
    "restore-check": text("Save early, load it in a new process"),
    "pilot-decision": text("Decision after the pilot"),
    "control": text("Control"),
    "variant-a": text("Variant A"),
    "variant-b": text("Variant B"),
    "analysis": text("Error analysis"),
    "retrieval": text("Retrieve the outputs"),
}


_DECIDED = ("pilot-decision",)
_STEPS: tuple[Mapping[str, Any], ...] = (
    {"id": "prepare", "kind": "human"},
    {"id": "data-check", "kind": "human", "after": ("prepare",), "role": "data_check"},
    {"id": "pilot", "kind": "machine", "after": ("prepare",), "role": "pilot"},
    {"id": "restore-check", "kind": "machine", "after": ("pilot",), "role": "restore_check"},
    {
        "id": "pilot-decision",
        "kind": "decision_point",
        "after": ("data-check", "pilot", "restore-check"),
    },
    {"id": "control", "kind": "machine", "after": _DECIDED, "role": "control"},
    {"id": "variant-a", "kind": "machine", "after": _DECIDED, "role": "variant"},
    {
        "id": "variant-b",
        "kind": "machine",
        "class": "useful",
        "after": _DECIDED,
        "role": "variant",
    },
    {
        "id": "analysis",
        "kind": "human",
        "after": ("control", "variant-a"),
        "follows": ("variant-b",),
        "role": "analysis",
    },
    {"id": "retrieval", "kind": "transfer", "follows": ("*",), "role": "retrieval"},
)


def usual_protocol(say: Callable[[Text], str]) -> dict[str, Any]:
    """Steps, a decision point and stop rules for a mapping; estimates are left to the person.

    `say` writes the titles in the person's own language.
    """
    return {
        "steps": [_step(step, say(_TITLES[step["id"]])) for step in _STEPS],
        "decision_points": [{"step": "pilot-decision"}],
        "stop_rules": [
            {"id": "loss-not-finite", "kind": "non_finite", "metric": "loss"},
            {"id": "input-truncated", "kind": "input_truncated"},
            {
                "id": "no-usable-restore",
                "kind": "no_restore",
                "after_hours": "2",
                "steps": ["control", "variant-a", "variant-b"],
            },
        ],
    }


def usual_deliverables(say: Callable[[Text], str]) -> list[dict[str, Any]]:
    """What closes most campaigns, each with the checks that can be announced for it."""
    whole: list[dict[str, Any]] = [{"kind": "non_empty"}, {"kind": "no_temporary_paths"}]
    reload = {"kind": "reload", "command": "python reload.py"}
    return [
        {
            "id": "predictions",
            "title": say(text("Predictions of control and variants")),
            "kind": "predictions",
            "checks": whole,
        },
        {
            "id": "error-analysis",
            "title": say(text("Written error analysis")),
            "kind": "error_analysis",
            "checks": whole[:1],
        },
        {
            "id": "artifact",
            "title": say(text("Artifact that can be loaded again")),
            "kind": "artifact",
            "checks": [*whole, reload],
        },
    ]


def with_usual_protocol(document: Mapping[str, Any], say: Callable[[Text], str]) -> dict[str, Any]:
    """A mapping without steps, with the usual ones; lists that say something already stay."""
    kept = {key: value for key, value in document.items() if value}
    return {**usual_protocol(say), **kept}


def _step(step: Mapping[str, Any], title: str) -> dict[str, Any]:
    gpus = {"gpus": 1} if step["kind"] == "machine" else {}
    return {"class": "essential", **step, **gpus, "title": title}
