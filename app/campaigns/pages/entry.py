"""The form of a campaign: its question, its decision rule, the deliverables that close it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.campaigns.queries import all_ids
from app.db import WriteSession
from app.errors import AppError, Closed, Conflict, NotFound
from app.journal import Actor
from app.plan.commands import RESERVED, Saved, judge, save_draft
from app.plan.queries import draft
from app.plan.rules.document import FORMAT
from app.plan.rules.model import Plan
from app.plan.rules.slugs import free_slug
from app.plan.rules.typed.campaign import (
    BLANK_DELIVERABLE,
    DeliverableRow,
    campaign_names,
    edited_campaign,
    one_more,
    settled,
    shown_deliverables,
    shown_tables,
    typed_deliverables,
)
from app.plan.rules.typed.delivering import DELIVERABLE
from app.plan.rules.typed.editing import WAS
from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.judging import judged, listed
from app.plan.rules.typed.pattern import usual_deliverables, usual_protocol
from app.plan.rules.typed.rows import Row, act, is_act, numbered
from app.plan.rules.typed.tables import CAMPAIGN, DECISION_RULE
from app.texts import Text, text
from app.timeline.queries import frame
from app.units import CURRENCIES
from app.web import Form, Frame, page, read_form, reader_of, redirect

router = APIRouter()

_ZONES = {"de": "Europe/Berlin", "vi": "Asia/Ho_Chi_Minh"}
_OFTEN = ("USD", "EUR", "VND")
_CURRENCIES = tuple((code, code) for code in (*_OFTEN, *sorted(CURRENCIES.difference(_OFTEN))))
_FIELDS = tuple(
    replace(one, options=_CURRENCIES) if one.name == "currency" else one for one in CAMPAIGN
)


@dataclass(frozen=True, slots=True)
class CampaignForm:
    """The form as typed, with what is wrong; `campaign_id` is None for a new campaign."""

    campaign_id: str | None
    revision: int
    action: str
    campaign_fields: tuple[Field, ...]
    rule_fields: tuple[Field, ...]
    deliverable_fields: tuple[Field, ...]
    typed: Mapping[str, str]
    deliverables: tuple[DeliverableRow, ...]
    blank: DeliverableRow
    errors: Mapping[str, Text]
    summary: tuple[tuple[str | None, Text], ...]
    moved: Text | None
    sealed: bool
    with_pattern: bool


@dataclass(slots=True)
class _Given:
    """What stands in the form at one moment."""

    typed: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    errors: dict[str, Text] = field(default_factory=dict)
    moved: Text | None = None


@router.get("/campaigns/new")
def new(request: Request) -> Response:
    """The empty form, with what most campaigns begin with."""
    language = reader_of(request).language
    typed = {
        **shown_tables({}),
        "campaign.id": "",
        "campaign.zone": _ZONES.get(language, "UTC"),
        "campaign.currency": _OFTEN[0],
        "decision_rule.better": "higher",
        "decision_rule.take": "final",
        "start": "pattern",
    }
    usual = {"deliverables": usual_deliverables(reader_of(request).say)}
    rows = [{**row.values, "id": "", WAS: ""} for row in shown_deliverables(usual)]
    return _page(request, None, _Given(typed, rows))


@router.post("/campaigns/new")
def create(
    request: Request,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Make a campaign with its first draft; on a bad field everything typed comes back."""
    given = _typed(form)
    if _changed_rows(form, given):
        return _page(request, None, given)
    with request.app.state.db.read() as session:
        taken = {*all_ids(session), *RESERVED}
    wanted = given.typed.get("campaign.id", "").strip()
    campaign_id = wanted or free_slug(given.typed["campaign.question"], taken, "campaign")
    base: dict[str, Any] = {"format": FORMAT, "campaign": {"id": campaign_id}}
    if form.get("start") == "pattern":
        base |= usual_protocol(reader_of(request).say)
    plan = _judged(base, given)
    if wanted in taken:
        given.errors.setdefault("campaign.id", _why_taken(wanted))
    if given.errors or plan is None:
        return _page(request, None, given, status=422)
    _save(request, plan, None, actor)
    said = text("The campaign is there as a draft. Next: its steps and their times.")
    return redirect(request, f"/campaigns/{campaign_id}/plan/edit/steps", said)


def _why_taken(wanted: str) -> Text:
    if wanted in RESERVED:
        return text("“{id}” is an address of ours; choose another id.", id=wanted)
    return text("There is a campaign {id} already; choose another id.", id=wanted)


@router.get("/campaigns/{campaign_id}/edit")
def edit(request: Request, campaign_id: str) -> Response:
    """The form as the draft has it."""
    around, document, revision = _loaded(request, campaign_id)
    rows = [row.values for row in shown_deliverables(document)]
    return _page(request, around, _Given(shown_tables(document), rows), revision=revision)


@router.post("/campaigns/{campaign_id}/edit")
def save(
    request: Request,
    campaign_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Keep the draft with what was typed; another's save meanwhile overwrites nothing."""
    around, document, at = _loaded(request, campaign_id)
    given = _typed(form)
    seen = form.get("revision")
    revision = int(seen) if seen.isdecimal() and len(seen) < 10 else at
    if _changed_rows(form, given):
        return _page(request, around, given, revision=revision)
    plan = _judged(document, given)
    if plan is None:
        return _page(request, around, given, revision=revision, status=422)
    try:
        _save(request, plan, revision, actor)
    except Conflict as moved:
        if "revision" not in moved.extra:
            raise
        given.moved = moved.detail
        return _page(request, around, given, revision=at, status=409)
    return redirect(request, f"/campaigns/{campaign_id}", text("Saved."))


def _loaded(request: Request, campaign_id: str) -> tuple[Frame, dict[str, Any], int]:
    with request.app.state.db.read() as session:
        around = frame(session, campaign_id, clock.now())
        view = draft(session, campaign_id)
    if around is None or view is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    if around.state == "closed":
        raise Closed(text("This campaign was closed. Its record is not changed any more."))
    return around, json.loads(view.document), view.revision or 0


def _typed(form: Form) -> _Given:
    typed = {name: value for name, value in form.values.items() if "csrf" not in name}
    names = ("campaign.question", "campaign.id", "campaign.currency", "start")
    return _Given({**dict.fromkeys(names, ""), **typed}, numbered(typed, "deliverables"))


def _changed_rows(form: Form, given: _Given) -> bool:
    """Whether a button only changed the rows of the form."""
    action = form.get("action")
    if is_act(action, "deliverables"):
        given.rows = act(given.rows, action, "deliverables", BLANK_DELIVERABLE)
        return True
    if action.startswith("more:"):
        given.rows = one_more(given.rows, action)
        return True
    return False


def _judged(document: Mapping[str, Any], given: _Given) -> Plan | None:
    """The plan as typed, or None after noting what is wrong with it."""
    done = edited_campaign(document, given.typed)
    given.rows = [settled(row) for row in done.rows]
    plan = judged(done.document, campaign_names(given.rows))
    given.errors = done.errors if isinstance(plan, Plan) else {**plan, **done.errors}
    return plan if isinstance(plan, Plan) and not given.errors else None


def _save(request: Request, plan: Plan, revision: int | None, actor: Actor) -> Saved:
    now = clock.now()
    with request.app.state.db.read() as session:
        judge(session, plan)

    def command(tx: WriteSession) -> Saved | AppError:
        return save_draft(tx, plan, revision=revision, replace=False, actor=actor, now=now)

    saved = request.app.state.db.write(plan.id, command)
    assert isinstance(saved, Saved)
    return saved


def _page(
    request: Request, around: Frame | None, given: _Given, *, revision: int = 0, status: int = 200
) -> Response:
    base = f"/campaigns/{around.id}/edit" if around else "/campaigns/new"
    context = CampaignForm(
        campaign_id=around.id if around else None,
        revision=revision,
        action=base,
        campaign_fields=_FIELDS,
        rule_fields=DECISION_RULE,
        deliverable_fields=DELIVERABLE,
        typed={**shown_tables({}), **given.typed},
        deliverables=typed_deliverables(given.rows),
        blank=typed_deliverables([{}])[0],
        errors=given.errors,
        summary=listed(given.errors, campaign_names(given.rows)),
        moved=given.moved,
        sealed=around is not None and around.state != "draft",
        with_pattern=given.typed.get("start") == "pattern",
    )
    title = text("Edit the campaign") if around else text("New campaign")
    return page(request, "campaigns/form.html", context, frame=around, title=title, status=status)
