"""What the events of thinned attempts came to."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table; its guards come from `app.db.guards`."""
    op.create_table(
        "thinned",
        sa.Column("attempt_key", sa.BigInteger(), nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first_event", sa.BigInteger(), nullable=False),
        sa.Column("last_event", sa.BigInteger(), nullable=False),
        sa.Column("removed", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Integer(), nullable=False),
        sa.Column("kept_sha256", sa.String(length=64), nullable=False),
        sa.Column("streams", sa.String(), nullable=False),
        sa.CheckConstraint("removed >= 1", name=op.f("ck_thinned_removed")),
        sa.ForeignKeyConstraint(
            ["attempt_key"], ["attempts.id"], name=op.f("fk_thinned_attempt_key_attempts")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_thinned_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("attempt_key", name=op.f("pk_thinned")),
    )
