"""`audit` and `rebuild` over a whole database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from app.db.writer import WriteSession
from app.journal import audit
from app.journal.chain import Head, projected_tables


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit saw: findings, the heads, and how many entries were checked."""

    findings: tuple[audit.Finding, ...]
    heads: Mapping[str, Head]
    entries: int


def verify_database(
    engine: Engine, anchors: Mapping[str, Mapping[str, object]] | None = None
) -> Report:
    """Check chains, then rebuild in a transaction that is rolled back and compare.

    `anchors` maps campaigns to heads seen before: `{"number": …, "sha256": …}`.
    """
    known = {
        name: Head(int(str(seen["number"])), str(seen["sha256"]))
        for name, seen in (anchors or {}).items()
    }
    with engine.connect() as connection:
        transaction = connection.begin()
        try:
            findings = list(audit.check_chain(connection, known))
            if not findings:
                findings = _compare(connection)
            heads, count = _heads(connection)
        finally:
            transaction.rollback()
    return Report(tuple(findings), heads, count)


def rebuild_database(engine: Engine) -> None:
    """Make every projection again, in one transaction."""
    with engine.connect() as connection, connection.begin():
        remake(connection)


def remake(connection: Connection) -> None:
    """Make every projection again, inside the transaction of somebody else."""
    session = WriteSession(connection)
    audit.rebuild(session)
    session.finish()


def _compare(connection: Connection) -> list[audit.Finding]:
    session = WriteSession(connection)
    audit.load_projectors()
    tables = projected_tables()
    before = audit.contents(connection, tables)
    try:
        audit.rebuild(session)
        session.finish()
    except (ValueError, LookupError, TypeError, SQLAlchemyError) as error:
        why = str(error).splitlines()[0][:300]
        return [audit.Finding("", None, f"the tables cannot be made again: {why}")]
    findings = list(audit.differences(before, audit.contents(connection, tables)))
    return findings or list(audit.disagreements(session))


def _heads(connection: Connection) -> tuple[dict[str, Head], int]:
    rows = connection.execute(
        text(
            "SELECT j.campaign_id, j.number, j.sha256 FROM journal j JOIN"
            " (SELECT campaign_id, max(number) AS number FROM journal GROUP BY campaign_id) last"
            " ON last.campaign_id = j.campaign_id AND last.number = j.number ORDER BY j.campaign_id"
        )
    ).all()
    heads = {str(campaign): Head(int(number), str(sha256)) for campaign, number, sha256 in rows}
    return heads, sum(head.number for head in heads.values())
