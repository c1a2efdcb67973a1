"""The tables of the house."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table, its constraints and indexes; the guards come from `app.db.guards`."""
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.CheckConstraint("length(id) BETWEEN 1 AND 64", name=op.f("ck_campaigns_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("attempt_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(run_id) BETWEEN 1 AND 64", name=op.f("ck_attempts_run_id")),
        sa.CheckConstraint("number >= 1", name=op.f("ck_attempts_number")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_attempts_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint(
            "campaign_id",
            "run_id",
            "attempt_id",
            name=op.f("uq_attempts_campaign_id_run_id_attempt_id"),
        ),
        sa.UniqueConstraint(
            "campaign_id", "run_id", "number", name=op.f("uq_attempts_campaign_id_run_id_number")
        ),
    )
    op.create_table(
        "campaign_standings",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sealed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("running_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.CheckConstraint(
            "state IN ('sealed', 'running', 'closed')", name=op.f("ck_campaign_standings_state")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name=op.f("fk_campaign_standings_campaign_id_campaigns"),
        ),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_campaign_standings")),
    )
    op.create_table(
        "closes",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("conclusion", sa.String(), nullable=False),
        sa.Column("open_points", sa.Integer(), nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('positive', 'negative', 'inconclusive', 'abandoned')",
            name=op.f("ck_closes_outcome"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_closes_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_closes")),
    )
    op.create_table(
        "decisions",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("choice", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("step", sa.String(length=64), nullable=True),
        sa.Column("cut", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("link", sa.String(), nullable=True),
        sa.Column("corrects", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "choice IN ('continue', 'cut', 'revise', 'stop')", name=op.f("ck_decisions_choice")
        ),
        sa.CheckConstraint(
            "corrects IS NULL OR corrects < number", name=op.f("ck_decisions_corrects")
        ),
        sa.CheckConstraint("length(reason) >= 1", name=op.f("ck_decisions_reason")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_decisions_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_decisions")),
        sa.UniqueConstraint(
            "campaign_id", "corrects", name=op.f("uq_decisions_campaign_id_corrects")
        ),
    )
    op.create_table(
        "drafts",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_by", sa.String(), nullable=False),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_drafts_revision")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_drafts_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_drafts")),
    )
    op.create_table(
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
        sa.Column("logged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("logged_by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('storage', 'transfer', 'tax', 'support', 'other')",
            name=op.f("ck_expenses_kind"),
        ),
        sa.CheckConstraint("amount_minor <> 0", name=op.f("ck_expenses_amount")),
        sa.CheckConstraint("corrects_number < number", name=op.f("ck_expenses_corrects")),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_expenses_currency")),
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
    op.create_table(
        "explanations",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(length=64), nullable=False),
        sa.Column("category", sa.String(length=32), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_explanations_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_explanations")),
    )
    op.create_table(
        "job_tokens",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_job_tokens_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_tokens")),
        sa.UniqueConstraint("sha256", name=op.f("uq_job_tokens_sha256")),
    )
    op.create_index(op.f("ix_job_tokens_campaign_id"), "job_tokens", ["campaign_id"], unique=False)
    op.create_table(
        "journal",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", sa.String(), nullable=False),
        sa.Column("previous_sha256", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.CheckConstraint(
            "actor_kind IN ('person', 'job', 'rule', 'clock')", name=op.f("ck_journal_actor_kind")
        ),
        sa.CheckConstraint("number >= 1", name=op.f("ck_journal_number")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_journal_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
        sa.UniqueConstraint("campaign_id", "number", name=op.f("uq_journal_campaign_id_number")),
    )
    op.create_table(
        "orders",
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
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("counts_on", sa.Date(), nullable=True),
        sa.Column("plan_version", sa.Integer(), nullable=False),
        sa.Column("offer", sa.String(), nullable=True),
        sa.Column("logged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("logged_by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "(kind = 'order') = (corrects_number IS NULL)", name=op.f("ck_orders_corrects")
        ),
        sa.CheckConstraint("(kind = 'order') = (reason IS NULL)", name=op.f("ck_orders_reason")),
        sa.CheckConstraint(
            "CASE WHEN kind = 'order' THEN amount_minor >= 0 ELSE amount_minor <= 0 END",
            name=op.f("ck_orders_amount"),
        ),
        sa.CheckConstraint("kind IN ('order', 'reversal', 'refund')", name=op.f("ck_orders_kind")),
        sa.CheckConstraint("length(currency) = 3", name=op.f("ck_orders_currency")),
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
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_orders_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_orders")),
    )
    op.create_table(
        "places",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("deliverable", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("seen_on", sa.Date(), nullable=False),
        sa.CheckConstraint("length(place) >= 1", name=op.f("ck_places_place")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_places_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_places")),
    )
    op.create_table(
        "plan_versions",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("schedule", sa.String(), nullable=False),
        sa.Column("offers", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("knowledge", sa.String(), nullable=False),
        sa.Column("started", sa.Integer(), nullable=False),
        sa.Column("ended", sa.Integer(), nullable=False),
        sa.Column("warnings", sa.String(), nullable=False),
        sa.Column("sealed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sealed_by", sa.String(), nullable=False),
        sa.CheckConstraint(
            "knowledge IN ('nothing_run', 'runs_started', 'results_seen')",
            name=op.f("ck_plan_versions_knowledge"),
        ),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_plan_versions_sha256")),
        sa.CheckConstraint("started >= 0 AND ended >= 0", name=op.f("ck_plan_versions_counts")),
        sa.CheckConstraint(
            "version = 1 OR length(reason) > 0", name=op.f("ck_plan_versions_reason")
        ),
        sa.CheckConstraint("version >= 1", name=op.f("ck_plan_versions_version")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_plan_versions_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "version", name=op.f("pk_plan_versions")),
    )
    op.create_table(
        "retrievals",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("deliverable", sa.String(length=64), nullable=False),
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.String(length=32), nullable=False),
        sa.Column("content_sha256", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("machine_id", sa.String(length=64), nullable=False),
        sa.Column("host", sa.String(), nullable=True),
        sa.Column("checks", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_retrievals_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_retrievals")),
        sa.UniqueConstraint(
            "campaign_id", "submission_id", name=op.f("uq_retrievals_campaign_id_submission_id")
        ),
    )
    op.create_table(
        "runs",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("first_event", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "status IN ('planned', 'running', 'completed', 'failed', 'stopped', 'lost')",
            name=op.f("ck_runs_status"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_runs_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "run_id", name=op.f("pk_runs")),
        sa.UniqueConstraint(
            "campaign_id", "first_event", name=op.f("uq_runs_campaign_id_first_event")
        ),
    )
    op.create_table(
        "spans",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("act", sa.String(length=16), nullable=False),
        sa.Column("span", sa.Integer(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.CheckConstraint(
            "act IN ('start', 'stop', 'span', 'withdraw')", name=op.f("ck_spans_act")
        ),
        sa.CheckConstraint("ended_at IS NULL OR ended_at > started_at", name=op.f("ck_spans_ends")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_spans_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_spans")),
    )
    op.create_table(
        "stop_records",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.String(length=32), nullable=False),
        sa.Column("step", sa.String(), nullable=True),
        sa.Column("config_sha256", sa.String(), nullable=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("rule", sa.String(), nullable=True),
        sa.Column("reason_code", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=True),
        sa.Column("value", sa.String(), nullable=True),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("fired_on_box", sa.Boolean(), nullable=False),
        sa.Column("confirmed", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("act IN ('stop', 'warn')", name=op.f("ck_stop_records_act")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_stop_records_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_stop_records")),
    )
    op.create_index(
        op.f("ix_stop_records_campaign_id_run_id"),
        "stop_records",
        ["campaign_id", "run_id"],
        unique=False,
    )
    op.create_table(
        "submissions",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("deliverable", sa.String(length=64), nullable=False),
        sa.Column("submission_id", sa.String(length=32), nullable=False),
        sa.Column("content_sha256", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("announced_sha256", sa.String(length=64), nullable=False),
        sa.Column("runs", sa.String(), nullable=False),
        sa.Column("files_count", sa.Integer(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("manifest_sha256", sa.String(length=64), nullable=False),
        sa.Column("files", sa.String(), nullable=False),
        sa.Column("base", sa.String(), nullable=True),
        sa.Column("base_revision", sa.String(), nullable=True),
        sa.Column("reload_command", sa.String(), nullable=True),
        sa.Column("checks", sa.String(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("not_run", sa.Integer(), nullable=False),
        sa.Column("machine_id", sa.String(length=64), nullable=True),
        sa.Column("host", sa.String(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tool", sa.String(), nullable=True),
        sa.CheckConstraint(
            "passed >= 0 AND failed >= 0 AND not_run >= 0", name=op.f("ck_submissions_checks")
        ),
        sa.CheckConstraint(
            "size_bytes >= 0 AND files_count >= 1", name=op.f("ck_submissions_manifest")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_submissions_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_submissions")),
        sa.UniqueConstraint(
            "campaign_id", "submission_id", name=op.f("uq_submissions_campaign_id_submission_id")
        ),
    )
    op.create_table(
        "verdicts",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("deliverable", sa.String(length=64), nullable=False),
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(), nullable=False),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "verdict = 'accepted' OR reason IS NOT NULL", name=op.f("ck_verdicts_reason")
        ),
        sa.CheckConstraint("verdict IN ('accepted', 'rejected')", name=op.f("ck_verdicts_verdict")),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_verdicts_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_verdicts")),
    )
    op.create_table(
        "attempt_states",
        sa.Column("attempt_key", sa.BigInteger(), nullable=False),
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("last_event", sa.BigInteger(), nullable=False),
        sa.Column("due_us", sa.BigInteger(), nullable=True),
        sa.Column("stall_due_us", sa.BigInteger(), nullable=True),
        sa.Column("plan_version", sa.Integer(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("names", sa.String(), nullable=False),
        sa.Column("start", sa.String(), nullable=False),
        sa.Column("streams", sa.String(), nullable=False),
        sa.CheckConstraint("plan_version >= 0", name=op.f("ck_attempt_states_plan_version")),
        sa.ForeignKeyConstraint(
            ["attempt_key"], ["attempts.id"], name=op.f("fk_attempt_states_attempt_key_attempts")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_attempt_states_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("attempt_key", name=op.f("pk_attempt_states")),
    )
    op.create_index(
        op.f("ix_attempt_states_campaign_id_last_event"),
        "attempt_states",
        ["campaign_id", "last_event"],
        unique=False,
    )
    op.create_table(
        "order_lots",
        sa.Column("campaign_id", sa.String(length=64), nullable=False),
        sa.Column("order_number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("planned_lot", sa.String(), nullable=True),
        sa.Column("gpus", sa.Integer(), nullable=True),
        sa.Column("gpu", sa.String(), nullable=True),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("usable_until", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("ends_at > starts_at", name=op.f("ck_order_lots_window")),
        sa.CheckConstraint("gpus IS NULL OR gpus >= 1", name=op.f("ck_order_lots_gpus")),
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
    op.create_table(
        "run_events",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("attempt_key", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.Column("received_us", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.String(), nullable=False),
        sa.Column("context", sa.String(), nullable=True),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_run_events_seq")),
        sa.ForeignKeyConstraint(
            ["attempt_key"], ["attempts.id"], name=op.f("fk_run_events_attempt_key_attempts")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_run_events")),
        sa.UniqueConstraint(
            "attempt_key", "source", "seq", name=op.f("uq_run_events_attempt_key_source_seq")
        ),
    )
