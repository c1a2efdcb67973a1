"""Announced checks of a deliverable, each a file of its own; ``run_check`` runs one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from punktum import reading
from punktum.checks import base_revision, expected_ids, non_empty, reload, temporary_paths
from punktum.checks.verdict import Subject, Verdict

CHECKS: Final[Mapping[str, Callable[[Mapping[str, object], Subject], Verdict]]] = {
    "non_empty": non_empty.check,
    "expected_ids": expected_ids.check,
    "no_temporary_paths": temporary_paths.check,
    "base_revision": base_revision.check,
    "reload": reload.check,
}

__all__ = ["CHECKS", "Subject", "Verdict", "run_check"]


def run_check(announced: Mapping[str, object], subject: Subject) -> Verdict:
    """Run one announced check. A kind not known here does not pass: it was not tried."""
    kind = reading.text(announced.get("kind")) or ""
    check = CHECKS.get(kind)
    if check is None:
        known = ", ".join(CHECKS)
        return Verdict(kind, False, f"this version cannot run it; it knows {known}")
    try:
        return check(announced, subject)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return Verdict(kind, False, f"{name}{error.strerror or error}")
