"""Plans for tests of drafts, seals and pages: small ones by hand, and the sample."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from importlib import resources

from app.db import Database, WriteSession
from app.errors import AppError
from app.exchange.rules import read_campaign_file
from app.journal import Actor
from app.plan.commands import Saved, Sealed, prepare, save_draft, seal
from app.plan.queries import draft
from app.plan.rules.model import DecisionRule, Plan, PlannedLot, Step, StepClass, StepKind
from tests.conftest import NOW, PERSON

HOUR_S = 3600


def sample() -> Plan:
    """The sample campaign that comes with the program."""
    file = resources.files("app.exchange").joinpath("samples/invoice-adapter.toml")
    plan = read_campaign_file(file.read_bytes())
    assert isinstance(plan, Plan)
    return plan


def small(id_: str = "small", question: str = "Is it worth it?") -> Plan:
    """Prepare, train, retrieve: 4 + 10 + 2 hours in a lot of 72."""
    return Plan(
        id=id_,
        question=question,
        zone="Europe/Berlin",
        currency="USD",
        decision_rule=DecisionRule(
            "f1", "higher", "final", "Ship it.", "Leave it.", threshold=Decimal("0.82")
        ),
        lots=(PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d"),),
        steps=(
            step("prepare", StepKind.HUMAN, 4),
            step("train", StepKind.MACHINE, 10, after=("prepare",)),
            step("retrieve", StepKind.TRANSFER, 2, after=("train",)),
        ),
    )


def step(id_: str, kind: StepKind, hours: int, after: tuple[str, ...] = ()) -> Step:
    """An essential step by its hours."""
    gpus = int(kind is StepKind.MACHINE)
    essential = StepClass.ESSENTIAL
    return Step(id_, id_.title(), kind, essential, p50_s=hours * HOUR_S, gpus=gpus, after=after)


def longer(plan: Plan, hours: int) -> Plan:
    """The same plan with its second step taking so many hours."""
    first, second, *rest = plan.steps
    return replace(plan, steps=(first, replace(second, p50_s=hours * HOUR_S), *rest))


def saved(
    database: Database, plan: Plan, *, revision: int | None = None, replace: bool = False
) -> Saved:
    """Save a draft; raises what the command refuses."""

    def command(tx: WriteSession) -> Saved | AppError:
        return save_draft(tx, plan, revision=revision, replace=replace, actor=PERSON, now=NOW)

    done = database.write(plan.id, command)
    assert isinstance(done, Saved)
    return done


def sealed(
    database: Database,
    campaign_id: str,
    reason: str | None = None,
    *,
    actor: Actor = PERSON,
    now: datetime = NOW,
) -> Sealed:
    """Seal the draft of a campaign as it stands."""
    with database.read() as session:
        view = draft(session, campaign_id)
    assert view is not None
    prepared = prepare(view, now)

    def command(tx: WriteSession) -> Sealed | AppError:
        return seal(tx, prepared, reason=reason, actor=actor, now=now)

    done = database.write(campaign_id, command)
    assert isinstance(done, Sealed)
    return done
