"""Who charged an expense, what an invoice says of its tax, rows after the close; budgets."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the expenses again with their rows, and the budgets; guards are put in place after."""
    kept = _taken("expenses")
    op.drop_table("expenses")
    made = _make_expenses()
    if kept:
        op.bulk_insert(made, [row | {"after_close": False} for row in kept])
    op.create_table(
        "budget_limits",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("set_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("set_by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "amount_minor IS NULL OR amount_minor >= 0", name=op.f("ck_budget_limits_amount")
        ),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_budget_limits_currency")),
        sa.CheckConstraint("length(reason) > 0", name=op.f("ck_budget_limits_reason")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_budget_limits_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_budget_limits")),
    )


def _taken(table: str) -> list[dict[str, object]]:
    connection = op.get_bind()
    kept = sa.Table(table, sa.MetaData(), autoload_with=connection, resolve_fks=False)
    rows = connection.execute(sa.select(kept).order_by(*kept.primary_key.columns))
    return [dict(row) for row in rows.mappings()]


def _make_expenses() -> sa.Table:
    return op.create_table(
        "expenses",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("charged_on", sa.Date(), nullable=False),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("reference", sa.String(), nullable=True),
        sa.Column("corrects_number", sa.Integer(), nullable=True),
        sa.Column("tax_state", sa.String(length=16), nullable=True),
        sa.Column("provider", sa.String(), nullable=True),
        sa.Column("after_close", sa.Boolean(), nullable=False),
        sa.Column("logged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("logged_by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('storage', 'transfer', 'tax', 'support', 'other')",
            name=op.f("ck_expenses_kind"),
        ),
        sa.CheckConstraint("amount_minor <> 0", name=op.f("ck_expenses_amount")),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_expenses_currency")),
        sa.CheckConstraint("corrects_number < number", name=op.f("ck_expenses_corrects")),
        sa.CheckConstraint(
            "tax_state IS NULL OR (kind = 'tax' AND tax_state IN ('included', 'excluded'))",
            name=op.f("ck_expenses_tax_state"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id", "corrects_number"],
            ["expenses.campaign_id", "expenses.number"],
            name=op.f("fk_expenses_campaign_id_corrects_number_expenses"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_expenses_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_expenses")),
    )
