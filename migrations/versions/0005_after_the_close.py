"""What comes after the close, and runs that a person put away."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the tables; their guards come from `app.db.guards`."""
    op.create_table(
        "late_events",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("attempt_id", sa.String(length=32), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=True),
        sa.Column("received_us", sa.BigInteger(), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.Column("payload", sa.String(), nullable=False),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_late_events_seq")),
        sa.CheckConstraint("length(run_id) BETWEEN 1 AND 64", name=op.f("ck_late_events_run_id")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_late_events_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_late_events")),
        sa.UniqueConstraint(
            "campaign_id",
            "run_id",
            "attempt_id",
            "source",
            "seq",
            name=op.f("uq_late_events_campaign_id_run_id_attempt_id_source_seq"),
        ),
    )
    op.create_table(
        "archivals",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_archivals_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_archivals")),
    )
    op.create_index(op.f("ix_archivals_campaign_id_run_id"), "archivals", ["campaign_id", "run_id"])
