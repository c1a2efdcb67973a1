"""What came after the close, beside the closed figures."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session, col, select

from app.budget.tables import ExpenseRow
from app.closing.rules.report import Added, Charged, Erratum, Placed, Report, Retrieved
from app.deliverables.tables import PlaceRow, RetrievalRow
from app.orders.tables import OrderRow
from app.runs import queries as runs


def added(session: Session, report: Report) -> Added:
    """Late evidence, proofs of retrieval, places of files, refunds and invoices' rows since the
    close; six statements. Nothing while the report is a preview.
    """
    if report.closed_at is None:
        return Added()
    campaign_id, closed = report.campaign, report.head_number
    titles = {one.id: one.title for one in report.deliverables}
    late = runs.came_late(session, campaign_id)
    return Added(
        tuple(
            Erratum(one.run, one.events, one.came_at, one.status, one.said, one.known)
            for one in late
        ),
        _retrievals(session, campaign_id, closed, titles),
        _places(session, campaign_id, closed, titles),
        _charges(session, campaign_id, closed),
    )


def _retrievals(
    session: Session, campaign_id: str, closed: int, titles: Mapping[str, str]
) -> tuple[Retrieved, ...]:
    rows = session.exec(
        select(RetrievalRow)
        .where(RetrievalRow.campaign_id == campaign_id, RetrievalRow.number > closed)
        .order_by(col(RetrievalRow.number))
    )
    return tuple(
        Retrieved(
            row.number, row.deliverable, titles.get(row.deliverable, row.deliverable), row.at,
            row.actor_name, row.host,
        )
        for row in rows
    )  # fmt: skip


def _places(
    session: Session, campaign_id: str, closed: int, titles: Mapping[str, str]
) -> tuple[Placed, ...]:
    rows = session.exec(
        select(PlaceRow)
        .where(PlaceRow.campaign_id == campaign_id, PlaceRow.number > closed)
        .order_by(col(PlaceRow.number))
    )
    return tuple(
        Placed(
            row.number, row.deliverable, titles.get(row.deliverable, row.deliverable), row.at,
            row.actor_name, row.place, row.seen_on.isoformat(),
        )
        for row in rows
    )  # fmt: skip


def _charges(session: Session, campaign_id: str, closed: int) -> tuple[Charged, ...]:
    """What changed an order, or was charged outside the lots, in the order it was logged."""
    changes = session.exec(
        select(OrderRow).where(OrderRow.campaign_id == campaign_id, OrderRow.number > closed)
    )
    expenses = session.exec(
        select(ExpenseRow).where(ExpenseRow.campaign_id == campaign_id, ExpenseRow.number > closed)
    )
    found = [
        *(
            Charged(
                row.number, f"{row.provider} {row.reference}", None, row.amount_minor,
                row.currency, row.reason, row.logged_at, row.logged_by,
            )
            for row in changes
        ),
        *(
            Charged(
                row.number, None, row.kind, row.amount_minor, row.currency,
                row.note or row.reference, row.logged_at, row.logged_by,
            )
            for row in expenses
        ),
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: one.number))
