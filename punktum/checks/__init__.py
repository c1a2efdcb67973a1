"""Announced checks of a deliverable, each a file of its own; ``run_check`` runs one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from punktum import instants, reading
from punktum.checks import (
    base_revision,
    expected_ids,
    non_empty,
    parameters,
    reload,
    reproduce,
    schema,
    temporary_paths,
)
from punktum.checks.verdict import Subject, Verdict

CHECKS: Final[Mapping[str, Callable[[Mapping[str, object], Subject], Verdict]]] = {
    "non_empty": non_empty.check,
    "expected_ids": expected_ids.check,
    "no_temporary_paths": temporary_paths.check,
    "base_revision": base_revision.check,
    "parameters": parameters.check,
    "schema": schema.check,
    "reload": reload.check,
    "reproduce": reproduce.check,
}

__all__ = ["CHECKS", "Subject", "Verdict", "run_check"]


def run_check(announced: Mapping[str, object], subject: Subject) -> Verdict:
    """Run one announced check, now. A kind not known here does not pass: it was not tried."""
    return replace(_run_check(announced, subject), at=instants.now_text())


def _run_check(announced: Mapping[str, object], subject: Subject) -> Verdict:
    kind = reading.text(announced.get("kind")) or ""
    check = CHECKS.get(kind)
    if check is None:
        known = ", ".join(CHECKS)
        return Verdict(kind, False, f"this version cannot run it; it knows {known}", not_run=True)
    try:
        return check(announced, subject)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return Verdict(kind, False, f"{name}{error.strerror or error}")
