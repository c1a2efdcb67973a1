"""Orders with all that a provider states, quotes, and every kind of change."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables again with their rows; their guards come from `app.db.guards`.

    Rows are carried over by hand, since both databases then run the same steps and every
    constraint keeps its name.
    """
    orders, lots = _taken("orders"), _taken("order_lots")
    op.drop_table("order_lots")
    op.drop_table("orders")
    _make_quotes()
    made = _make_orders()
    if orders:
        op.bulk_insert(made, [row | {"after_close": False} for row in orders])
    made = _make_lots()
    if lots:
        op.bulk_insert(made, lots)


def _taken(table: str) -> list[dict[str, object]]:
    connection = op.get_bind()
    kept = sa.Table(table, sa.MetaData(), autoload_with=connection, resolve_fks=False)
    rows = connection.execute(sa.select(kept).order_by(*kept.primary_key.columns))
    return [dict(row) for row in rows.mappings()]


def _make_quotes() -> None:
    op.create_table(
        "quotes",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("price_minor", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("gpu", sa.String(), nullable=True),
        sa.Column("gpus", sa.Integer(), nullable=True),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hours", sa.Integer(), nullable=True),
        sa.Column("valid_until", sa.Date(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("logged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("logged_by", sa.String(), nullable=False),
        sa.CheckConstraint("price_minor IS NULL OR price_minor >= 0", name=op.f("ck_quotes_price")),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_quotes_currency")),
        sa.CheckConstraint("gpus IS NULL OR gpus >= 1", name=op.f("ck_quotes_gpus")),
        sa.CheckConstraint("hours IS NULL OR hours >= 1", name=op.f("ck_quotes_hours")),
        sa.CheckConstraint("ends_at IS NULL OR ends_at > starts_at", name=op.f("ck_quotes_window")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_quotes_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_quotes")),
    )


def _make_orders() -> sa.Table:
    return op.create_table(
        "orders",
        *_order_columns(),
        *_order_checks(),
        sa.ForeignKeyConstraint(
            ["campaign_id", "corrects_number"],
            ["orders.campaign_id", "orders.number"],
            name=op.f("fk_orders_campaign_id_corrects_number_orders"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id", "replaces"],
            ["orders.campaign_id", "orders.number"],
            name=op.f("fk_orders_campaign_id_replaces_orders"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id", "prices"],
            ["orders.campaign_id", "orders.number"],
            name=op.f("fk_orders_campaign_id_prices_orders"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id", "quote"],
            ["quotes.campaign_id", "quotes.number"],
            name=op.f("fk_orders_campaign_id_quote_quotes"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_orders_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_orders")),
    )


def _order_columns() -> list[sa.Column]:
    return [
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("corrects_number", sa.Integer(), nullable=True),
        sa.Column("replaces", sa.Integer(), nullable=True),
        sa.Column("provider", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=True),
        sa.Column("reference", sa.String(), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("price_typed", sa.String(), nullable=True),
        sa.Column("ordered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("counts_on", sa.Date(), nullable=True),
        sa.Column("plan_version", sa.Integer(), nullable=False),
        sa.Column("offer", sa.String(), nullable=True),
        sa.Column("quote", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("lot_position", sa.Integer(), nullable=True),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("usable_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("happens_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("prices", sa.Integer(), nullable=True),
        sa.Column("after_close", sa.Boolean(), nullable=False),
        sa.Column("logged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("logged_by", sa.String(), nullable=False),
    ]


def _order_checks() -> list[sa.CheckConstraint]:
    return [
        sa.CheckConstraint(
            "kind IN ('order', 'reversal', 'refund', 'credit', 'correction', 'price', 'extension',"
            " 'cancellation', 'payment_failed', 'usable_until')",
            name=op.f("ck_orders_kind"),
        ),
        sa.CheckConstraint(
            "(kind = 'order') = (corrects_number IS NULL)", name=op.f("ck_orders_corrects")
        ),
        sa.CheckConstraint(
            "CASE WHEN kind IN ('order', 'price', 'extension') THEN amount_minor >= 0"
            " WHEN kind IN ('reversal', 'refund', 'credit') THEN amount_minor <= 0"
            " WHEN kind = 'correction' THEN amount_minor IS NOT NULL"
            " ELSE amount_minor IS NULL END",
            name=op.f("ck_orders_amount"),
        ),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_orders_currency")),
        sa.CheckConstraint("(kind = 'order') = (reason IS NULL)", name=op.f("ck_orders_reason")),
        sa.CheckConstraint(
            "(kind IN ('extension', 'usable_until')) = (lot_position IS NOT NULL)",
            name=op.f("ck_orders_lot"),
        ),
        sa.CheckConstraint(
            "after_close IS FALSE OR kind IN ('refund', 'credit')",
            name=op.f("ck_orders_after_close"),
        ),
    ]


def _make_lots() -> sa.Table:
    return op.create_table(
        "order_lots",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("order_number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("planned_lot", sa.String(), nullable=True),
        sa.Column("gpus", sa.Integer(), nullable=True),
        sa.Column("gpu", sa.String(), nullable=True),
        sa.Column("memory_gib", sa.Integer(), nullable=True),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("usable_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("start_basis", sa.String(length=16), nullable=True),
        sa.Column("end_policy", sa.String(length=16), nullable=True),
        sa.Column("data_deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("auto_renew", sa.Boolean(), nullable=True),
        sa.CheckConstraint("ends_at > starts_at", name=op.f("ck_order_lots_window")),
        sa.CheckConstraint("gpus IS NULL OR gpus >= 1", name=op.f("ck_order_lots_gpus")),
        sa.CheckConstraint(
            "memory_gib IS NULL OR memory_gib >= 1", name=op.f("ck_order_lots_memory_gib")
        ),
        sa.CheckConstraint(
            "start_basis IS NULL OR start_basis IN ('fixed', 'on_delivery')",
            name=op.f("ck_order_lots_start_basis"),
        ),
        sa.CheckConstraint(
            "end_policy IS NULL OR end_policy IN"
            " ('wiped', 'kept_until', 'kept_and_billed', 'auto_renews')",
            name=op.f("ck_order_lots_end_policy"),
        ),
        sa.CheckConstraint(
            "usable_until > starts_at AND usable_until <= ends_at",
            name=op.f("ck_order_lots_usable"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id", "order_number"],
            ["orders.campaign_id", "orders.number"],
            name=op.f("fk_order_lots_campaign_id_order_number_orders"),
        ),
        sa.PrimaryKeyConstraint(
            "campaign_id", "order_number", "position", name=op.f("pk_order_lots")
        ),
    )
