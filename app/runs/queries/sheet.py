"""The sheet: the one thing a job may read, its campaign's steps, rules, checks and windows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app import journal
from app.campaigns.queries import header
from app.plan.queries import PlanView, current
from app.plan.rules.model import Corpus, Step
from app.runs.queries.windows import Window, windows_of
from app.runs.rules.planned import stop_rules
from app.units import instant_text
from punktum.stop_rules import as_dict

FORMAT = "punktum-sheet/1"


def sheet(session: Session, campaign_id: str, now: datetime) -> dict[str, Any] | None:
    """The sheet as JSON, without any price; None for an unknown campaign."""
    about = header(session, campaign_id)
    if about is None:
        return None
    view = current(session, campaign_id)
    windows = windows_of(session, campaign_id, view)
    until = next((one.usable_until for one in windows if one.usable_until > now), None)
    head = journal.read_head(session, campaign_id)
    campaign = {
        "id": about.id,
        "question": about.question,
        "zone": about.zone,
        "state": about.state,
    }
    return {
        "format": FORMAT,
        "campaign": campaign,
        "plan": {"version": view.version, "sha256": view.sha256} if view else None,
        "metric_names": dict(view.plan.decision_rule.metrics) if view else {},
        "steps": [_step(step) for step in view.plan.steps] if view else [],
        "rules": [as_dict(rule) for rule in stop_rules(view.plan, until)] if view else [],
        "deliverables": _deliverables(view) if view else [],
        "corpora": [_corpus(corpus) for corpus in view.plan.corpora] if view else [],
        "windows": [_window(window) for window in windows],
        "server_time": instant_text(now),
        "head": {"number": head.number, "sha256": head.sha256} if head.number else None,
    }


def _step(step: Step) -> dict[str, Any]:
    return _known(
        {
            "id": step.id,
            "title": step.title,
            "kind": step.kind.value,
            "class": step.klass.value,
            "role": step.role.value if step.role is not None else None,
            "gpus": step.gpus or None,
            "p50_s": step.estimate_s(),
            "on_interruption": step.on_interruption.value if step.on_interruption else None,
        }
    )


def _deliverables(view: PlanView) -> list[dict[str, Any]]:
    """Deliverables with their checks exactly as the document says them."""
    document: Mapping[str, Any] = json.loads(view.document)
    said = {item["id"]: item.get("checks", []) for item in document.get("deliverables", [])}
    return [
        {
            "id": one.id,
            "title": one.title,
            "kind": one.kind.value,
            "essential": one.essential,
            "unit": one.unit,
            "checks": said.get(one.id, []),
        }
        for one in view.plan.deliverables
    ]


def _corpus(corpus: Corpus) -> dict[str, Any]:
    return _known(
        {
            "id": corpus.id,
            "revision": corpus.revision,
            "sha256": corpus.sha256,
            "rows": corpus.rows,
            "ids": list(corpus.ids) if corpus.ids is not None else None,
        }
    )


def _window(window: Window) -> dict[str, Any]:
    return {
        "lot": window.lot,
        "starts_at": instant_text(window.starts_at),
        "ends_at": instant_text(window.ends_at),
        "usable_until": instant_text(window.usable_until),
    }


def _known(form: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in form.items() if value is not None}
