"""Versions of the offers that people of the installation write."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table; its guards come from `app.db.guards`."""
    op.create_table(
        "offers",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("offer_id", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("gpu", sa.String(), nullable=False),
        sa.Column("gpus", sa.Integer(), nullable=False),
        sa.Column("memory_gb", sa.Integer(), nullable=True),
        sa.Column("hours", sa.Integer(), nullable=True),
        sa.Column("price_minor", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("valid_on", sa.Date(), nullable=True),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("written_by", sa.String(), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_offers_number")),
        sa.CheckConstraint("version >= 1", name=op.f("ck_offers_version")),
        sa.CheckConstraint("length(offer_id) BETWEEN 1 AND 200", name=op.f("ck_offers_offer_id")),
        sa.CheckConstraint("gpus >= 1", name=op.f("ck_offers_gpus")),
        sa.CheckConstraint("memory_gb IS NULL OR memory_gb >= 1", name=op.f("ck_offers_memory_gb")),
        sa.CheckConstraint("hours IS NULL OR hours >= 1", name=op.f("ck_offers_hours")),
        sa.CheckConstraint(
            "price_minor IS NULL OR price_minor >= 0", name=op.f("ck_offers_price_minor")
        ),
        sa.CheckConstraint(
            "(price_minor IS NULL) = (currency IS NULL)", name=op.f("ck_offers_currency")
        ),
        sa.CheckConstraint("length(source) > 0", name=op.f("ck_offers_source")),
        sa.CheckConstraint(
            "origin IN ('packaged', 'typed', 'file')", name=op.f("ck_offers_origin")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_offers")),
        sa.UniqueConstraint("offer_id", "version", name=op.f("uq_offers_offer_id_version")),
    )
