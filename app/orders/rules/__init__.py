"""What an order is, when it is the same one, which planned lot it fills, how it is changed."""

from app.orders.rules.changing import (
    AFTER_CLOSE,
    NewChange,
    added_minor,
    change_problem,
    change_problems,
    lot_of,
    reason_problem,
    reversal_minor,
    row_of,
    same_change,
    tried,
)
from app.orders.rules.entering import (
    END_POLICIES,
    MAX_LOTS,
    START_BASES,
    WAYS,
    NewLot,
    NewOrder,
    Problem,
    Source,
    line_problem,
    problems,
    tidy,
)
from app.orders.rules.facts import (
    as_json,
    differences_as_json,
    ledger_as_json,
    quote_as_json,
)
from app.orders.rules.filling import Fillable, Filling, fill, fillable, unfilled
from app.orders.rules.quoting import (
    NewQuote,
    Quote,
    quote_difference,
    quote_problems,
    same_quote,
)
from app.orders.rules.records import (
    CANCELLATION,
    CHANGE_KINDS,
    CORRECTION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    PRICE,
    REFUND,
    REVERSAL,
    USABLE_UNTIL,
    OfferSnapshot,
    Order,
    OrderChange,
    OrderedLot,
    as_of,
    changed,
    with_rows,
)
from app.orders.rules.sameness import (
    FIELD_NAMES,
    Difference,
    as_new,
    corrections,
    differences,
    find_same,
)
from app.orders.rules.standing import (
    STATUS_NAMES,
    STATUSES,
    LedgerRow,
    Total,
    committed_at,
    contributes,
    ledger,
    status,
    unstated,
)
from app.orders.rules.typed import (
    Amount,
    Moment,
    day_problem,
    fold_of,
    local_text,
    read_amount,
    read_day,
    read_local,
    say_why,
)

__all__ = [
    "AFTER_CLOSE", "CANCELLATION", "CHANGE_KINDS", "CORRECTION", "CREDIT", "END_POLICIES",
    "EXTENSION", "FIELD_NAMES", "MAX_LOTS", "PAYMENT_FAILED", "PRICE", "REFUND", "REVERSAL",
    "START_BASES", "STATUSES", "STATUS_NAMES", "USABLE_UNTIL", "WAYS", "Amount", "Difference",
    "Fillable", "Filling", "LedgerRow", "Moment", "NewChange", "NewLot", "NewOrder", "NewQuote",
    "OfferSnapshot", "Order", "OrderChange", "OrderedLot", "Problem", "Quote", "Source", "Total",
    "added_minor", "as_json", "as_new", "as_of", "change_problem", "change_problems", "changed",
    "committed_at", "contributes", "corrections", "day_problem", "differences",
    "differences_as_json", "fill", "fillable", "find_same", "fold_of", "ledger", "ledger_as_json",
    "line_problem", "local_text", "lot_of", "problems", "quote_as_json", "quote_difference",
    "quote_problems", "read_amount", "read_day", "read_local", "reason_problem", "reversal_minor",
    "row_of", "same_change", "same_quote", "say_why", "status", "tidy", "tried", "unfilled",
    "unstated", "with_rows",
]  # fmt: skip
