"""What a person says is lost; which tool proved a retrieval."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table; guards are put in place after."""
    op.add_column("retrievals", sa.Column("tool", sa.String(), nullable=True))
    op.create_table(
        "losses",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("deliverable", sa.String(length=64), nullable=False),
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint("length(reason) >= 1", name=op.f("ck_losses_reason")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_losses_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_losses")),
    )
