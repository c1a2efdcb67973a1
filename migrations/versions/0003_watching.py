"""When time alone may change something of a run, what was noticed, results of restore checks."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the column and make the tables; their guards come from `app.db.guards`."""
    op.add_column("attempt_states", sa.Column("look_us", sa.BigInteger(), nullable=True))
    op.create_index(op.f("ix_attempt_states_look_us"), "attempt_states", ["look_us"])
    op.create_table(
        "watches",
        sa.Column("attempt_key", sa.BigInteger(), nullable=False),
        sa.Column("marked", sa.String(length=16), nullable=False),
        sa.Column("seen_us", sa.BigInteger(), nullable=False),
        sa.Column("next_us", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("marked IN ('', 'silent', 'stalled')", name=op.f("ck_watches_marked")),
        sa.ForeignKeyConstraint(
            ["attempt_key"], ["attempts.id"], name=op.f("fk_watches_attempt_key_attempts")
        ),
        sa.PrimaryKeyConstraint("attempt_key", name=op.f("pk_watches")),
    )
    op.create_table(
        "liveness_flips",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("attempt_key", sa.BigInteger(), nullable=False),
        sa.Column("became", sa.String(length=16), nullable=False),
        sa.Column("since_us", sa.BigInteger(), nullable=False),
        sa.Column("noticed_us", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "became IN ('alive', 'silent', 'stalled')", name=op.f("ck_liveness_flips_became")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_liveness_flips_campaign_id_campaigns")
        ),
        sa.ForeignKeyConstraint(
            ["attempt_key"], ["attempts.id"], name=op.f("fk_liveness_flips_attempt_key_attempts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_liveness_flips")),
    )
    op.create_index(
        op.f("ix_liveness_flips_campaign_id_id"), "liveness_flips", ["campaign_id", "id"]
    )
    op.create_table(
        "restore_checks",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(), nullable=True),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("found", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_restore_checks_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_restore_checks")),
    )
