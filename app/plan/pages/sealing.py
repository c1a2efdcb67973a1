"""The page before the seal: what it promises, what usually belongs to a plan, and the button."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.db import WriteSession
from app.errors import AppError, Conflict, Malformed
from app.journal import Actor
from app.orders.queries import lots_of
from app.plan.commands import Sealed, prepare, seal
from app.plan.pages.contexts import Fit, fit_of
from app.plan.pages.forms import revision_of
from app.plan.pages.loading import draft_of, open_around
from app.plan.pages.shown import changes_since
from app.plan.queries import PlanView, known_now, sealed
from app.plan.rules.belongings import Belonging, belongings
from app.plan.rules.changes import Change
from app.plan.rules.checks import missing, unsealable
from app.plan.rules.lots import ResolvedLots
from app.plan.rules.needed import savings
from app.plan.rules.sealing import Knowledge, promise, seal_warnings
from app.plan.rules.typed.judging import located
from app.texts import Text, text
from app.web import Form, Frame, page, read_form, redirect

router = APIRouter()


@dataclass(frozen=True, slots=True)
class SealPage:
    """What stands before the seal of the next version."""

    campaign_id: str
    revision: int
    version: int
    newest_version: int
    fit: Fit
    promise: Text
    checklist: tuple[Belonging, ...]
    savings: tuple[Text, ...]
    warnings: tuple[Text, ...]
    blocking: tuple[Text, ...]
    unchanged: bool
    changes: tuple[Change, ...]
    known: Text
    reason: str
    reason_error: Text | None
    moved: Text | None

    @property
    def lacks_something(self) -> bool:
        """Whether the person seals although the page has something to say."""
        return bool(self.warnings) or not all(one.is_there for one in self.checklist)


@dataclass(frozen=True, slots=True)
class _Ground:
    frame: Frame
    draft: PlanView
    newest: PlanView | None
    known: Knowledge
    is_ordered: bool


@router.get("/campaigns/{campaign_id}/plan/seal")
def show_seal(request: Request, campaign_id: str) -> Response:
    """The checklist, the promise and the button."""
    return _page(request, _ground(request, campaign_id), Form())


@router.post("/campaigns/{campaign_id}/plan/seal")
def seal_plan(
    request: Request,
    campaign_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Seal the draft that the page showed; a reason that was typed is never lost."""
    ground = _ground(request, campaign_id)
    now = clock.now()
    if revision_of(form, ground.draft) != ground.draft.revision:
        said = text("The draft was changed meanwhile. Look at it again before you seal it.")
        return _page(request, ground, form, moved=said, status=409)
    try:
        prepared = prepare(ground.draft, now)

        def command(tx: WriteSession) -> Sealed | AppError:
            return seal(tx, prepared, reason=form.get("reason"), actor=actor, now=now)

        done = request.app.state.db.write(campaign_id, command)
    except (Malformed, Conflict) as refused:
        if refused.field == "reason":
            form.refuse("reason", refused.detail)
            return _page(request, ground, form, status=422)
        again = _ground(request, campaign_id)
        return _page(request, again, form, moved=refused.detail, status=refused.status)
    assert isinstance(done, Sealed)
    said = text("Version {n} is sealed. SHA-256 {sha256}", n=done.version, sha256=done.sha256)
    return redirect(request, f"/campaigns/{campaign_id}/plan", said)


def _ground(request: Request, campaign_id: str) -> _Ground:
    with request.app.state.db.read() as session:
        return _Ground(
            open_around(session, campaign_id),
            draft_of(session, campaign_id),
            sealed(session, campaign_id),
            known_now(session, campaign_id),
            bool(lots_of(session, campaign_id)),
        )


def _page(
    request: Request,
    ground: _Ground,
    form: Form,
    *,
    moved: Text | None = None,
    status: int = 200,
) -> Response:
    view, newest = ground.draft, ground.newest
    fit = fit_of(view.schedule, view)
    changes = changes_since(view, newest)
    context = SealPage(
        campaign_id=view.campaign_id,
        revision=view.revision or 0,
        version=newest.version + 1 if newest else 1,
        newest_version=newest.version if newest else 0,
        fit=replace(fit, waiting=()) if ground.is_ordered else fit,
        promise=promise(view.schedule),
        checklist=belongings(view.plan),
        savings=tuple(one.said for one in savings(view.plan)),
        warnings=_further(view, is_ordered=ground.is_ordered and newest is None),
        blocking=tuple(located(one, {}) for one in unsealable(view.plan)),
        unchanged=newest is not None and not changes,
        changes=changes,
        known=ground.known.said_now,
        reason=form.get("reason"),
        reason_error=form.error("reason"),
        moved=moved,
    )
    title = text("Seal version {n}", n=context.version)
    return page(request, "plan/seal.html", context, frame=ground.frame, title=title, status=status)


def _further(view: PlanView, *, is_ordered: bool) -> tuple[Text, ...]:
    """What is worth a look beside the list of what usually belongs to a plan.

    An order that is logged before the first seal is kept with it as such.
    """
    lots = ResolvedLots(view.windows, view.lot_problems)
    listed = {str(one) for one in missing(view.plan)}
    found = seal_warnings(view.plan, lots, view.schedule, view.offers, clock.now())
    first = (text("An order was logged before the seal."),) if is_ordered else ()
    return (*first, *(one for one in found if str(one) not in listed))
