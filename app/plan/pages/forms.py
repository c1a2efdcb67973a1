"""What the plan's forms share: reading what was typed, showing it again, saving it as a draft."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from fastapi import Request
from sqlmodel import Session

from app import clock
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor
from app.offers.queries import catalogue
from app.offers.rules import Offer
from app.plan.commands import Saved, judge, save_draft
from app.plan.pages.contexts import Fit, fit_of
from app.plan.queries import PlanView, placed_with
from app.plan.rules.model import Plan
from app.plan.rules.typed.fields import Field, Option
from app.texts import Text, text
from app.units import Money
from app.web import Form


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """One of the forms that a plan is edited with."""

    title: Text
    href: str
    current: bool
    count: int | None


def flat(form: Form) -> dict[str, str]:
    """Fields as typed; boxes of one name become one list with commas."""
    return {
        **form.values,
        **{name: ", ".join(items) for name, items in form.lists.items() if len(items) > 1},
    }


def revision_of(form: Form, view: PlanView) -> int:
    """The draft that the form was made from; without the field the one that stands now."""
    given = form.get("revision")
    return int(given) if given.isdecimal() and len(given) < 10 else view.revision or 0


def document_of(view: PlanView) -> dict[str, Any]:
    """The draft's mapping, fresh to be changed."""
    found: dict[str, Any] = json.loads(view.document)
    return found


def kept(request: Request, plan: Plan, revision: int, actor: Actor) -> Saved | Conflict:
    """Save a draft; a draft that moved meanwhile comes back as what it is, to be shown."""
    now = clock.now()
    with request.app.state.db.read() as session:
        judge(session, plan)

    def command(tx: WriteSession) -> Saved | AppError:
        return save_draft(tx, plan, revision=revision, replace=False, actor=actor, now=now)

    try:
        saved = request.app.state.db.write(plan.id, command)
    except Conflict as moved:
        if "revision" not in moved.extra:
            raise
        return moved
    assert isinstance(saved, Saved)
    return saved


def fit_of_plan(view: PlanView, plan: Plan) -> Fit:
    """The fit of a plan that is typed but not saved."""
    lots, made = placed_with(plan, view.offers)
    typed = replace(
        view, plan=plan, windows=lots.windows, lot_problems=lots.problems, schedule=made
    )
    return fit_of(made, typed)


def field_names(prefixes: Iterable[str], fields: Iterable[Field]) -> dict[str, Text]:
    """The names of the fields of several rows, with their labels."""
    every = tuple(fields)
    return {f"{prefix}.{field.name}": field.label for prefix in prefixes for field in every}


def with_options(
    fields: Iterable[Field], options: Mapping[str, tuple[Option, ...]]
) -> tuple[Field, ...]:
    """Fields with the values that may be chosen in this campaign."""
    return tuple(
        replace(field, options=options[field.name]) if field.name in options else field
        for field in fields
    )


def offer_options(session: Session) -> tuple[Option, ...]:
    """Lots of one's own, and what is offered today."""
    return _options(catalogue(session), frozenset())


def offer_options_of(view: PlanView) -> tuple[Option, ...]:
    """The same for the lots of a draft, with what it names although it is not offered."""
    named = {lot.offer for lot in view.plan.lots if lot.offer is not None}
    return _options(view.offers, named)


def _options(offers: Sequence[Offer], named: Set[str]) -> tuple[Option, ...]:
    unknown = sorted(named - {offer.id for offer in offers})
    return (
        ("", text("Own figures")),
        *(
            (offer.id, _offer(offer))
            for offer in offers
            if not offer.withdrawn or offer.id in named
        ),
        *((id_, text("{id}, not in the catalogue", id=id_)) for id_ in unknown),
    )


def _offer(offer: Offer) -> Text:
    said = _offered(offer)
    return text("{offer}, withdrawn", offer=said) if offer.withdrawn else said


def _offered(offer: Offer) -> Text:
    days = text("duration not stated") if offer.hours is None else text("{n} h", n=offer.hours)
    if offer.price_minor is None or offer.currency is None:
        price: Text | Money = text("price not known")
    else:
        price = Money(offer.price_minor, offer.currency)
    return text(
        "{provider} {gpus} × {gpu}, {length}, {price}",
        provider=offer.provider,
        gpus=offer.gpus,
        gpu=offer.gpu,
        length=days,
        price=price,
    )


def step_options(
    plan: Plan, *, but: str | None = None, kind: str | None = None
) -> tuple[Option, ...]:
    """The plan's steps by their ids, without one, or of one kind alone."""
    return tuple(
        (step.id, step.title)
        for step in plan.steps
        if step.id != but and (kind is None or step.kind == kind)
    )
