"""What an order is, when it is the same one, which planned lot it fills, how it is changed."""

from app.orders.rules.changing import (
    amount_problem,
    reason_problem,
    refund_problem,
    reversal_minor,
    same_refund,
    when_problem,
)
from app.orders.rules.entering import (
    FIELD_NAMES,
    Difference,
    NewOrder,
    Problem,
    differences,
    find_same,
    line_problem,
    problems,
    tidy,
)
from app.orders.rules.facts import as_json
from app.orders.rules.filling import Fillable, Filling, fill, fillable, unfilled
from app.orders.rules.records import (
    REFUND,
    REVERSAL,
    OfferSnapshot,
    Order,
    OrderChange,
    OrderedLot,
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
    "FIELD_NAMES", "REFUND", "REVERSAL", "Amount", "Difference", "Fillable", "Filling",
    "Moment", "NewOrder", "OfferSnapshot", "Order", "OrderChange", "OrderedLot", "Problem",
    "amount_problem", "as_json", "day_problem", "differences", "fill", "fillable", "find_same",
    "fold_of", "line_problem", "local_text", "problems", "read_amount", "read_day", "read_local",
    "reason_problem", "refund_problem", "reversal_minor", "same_refund", "say_why", "tidy",
    "unfilled", "when_problem",
]  # fmt: skip
