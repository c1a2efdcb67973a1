"""What scripts send and are told about the budget; amounts are text, unknown is null."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StrictInt, WithJsonSchema

AmountText = Annotated[
    object, WithJsonSchema({"type": "string", "examples": ["12.00", "-2.50"]}, mode="validation")
]
LimitText = Annotated[
    object,
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "null"}], "examples": ["100.00"]},
        mode="validation",
    ),
]


class ExpenseBody(BaseModel):
    """A charge; below zero a credit. `corrects` is the number of the charge that it changes.

    `tax_state` says of a tax whether the printed prices include it; null is not stated.
    """

    model_config = ConfigDict(extra="forbid")

    kind: str
    amount: AmountText
    currency: str
    charged_on: date
    note: str | None = None
    reference: str | None = None
    corrects: StrictInt | None = None
    tax_state: Literal["included", "excluded"] | None = None
    provider: str | None = None


class CorrectionBody(BaseModel):
    """What a charge should be ("0.00" takes it back), and why."""

    model_config = ConfigDict(extra="forbid")

    amount: AmountText
    charged_on: date
    reason: str


class LimitBody(BaseModel):
    """The budget of a currency; `amount` null withdraws the one there is."""

    model_config = ConfigDict(extra="forbid")

    currency: str
    amount: LimitText
    reason: str


class UnitCost(BaseModel):
    """The exact share of an accepted unit; `value` is rounded half-even for display."""

    value: str | None
    numerator: int | None
    denominator: int | None
    rounded: bool
    undefined_reason: str | None


class LimitAnswer(BaseModel):
    """A budget; `number` is that of the entry that set it, null for the plan's."""

    currency: str
    amount: str | None
    number: int | None
    reason: str | None
    set_at: str | None
    set_by: str | None


class CurrencyAnswer(BaseModel):
    """One currency; `committed` is null where no price is known, a lower bound where partial.

    `tax` sums the taxes as invoices print them: `included`, `excluded`, `not_stated`. `left` is
    what the known rent leaves of the budget.
    """

    currency: str
    committed: str | None
    committed_is_partial: bool
    unpriced_lots: int
    external: dict[str, str]
    tax: dict[str, str]
    accepted: int
    unit_cost: UnitCost
    external_unit_cost: UnitCost
    limit: LimitAnswer | None
    left: str | None


class DeliverablesAnswer(BaseModel):
    """How many deliverables are accepted, of those announced."""

    accepted: int
    announced: int


class RejectionAnswer(BaseModel):
    """A deliverable that was submitted and is not accepted, and why."""

    deliverable: str
    title: str
    reason: str


class RunTimeAnswer(BaseModel):
    """A run without a result, and its machine time."""

    id: str
    status: str
    seconds: int


class MachineTimeAnswer(BaseModel):
    """Machine time, and what of it went into runs that were stopped, failed or lost."""

    seconds: int
    without_result_seconds: int
    runs: list[RunTimeAnswer]


class AfterCloseAnswer(BaseModel):
    """What came after the close in one currency; `rows` are journal numbers."""

    currency: str
    rent: str
    external: str
    rows: list[int]


class BudgetAnswer(BaseModel):
    """The budget; currencies are never added together."""

    currencies: list[CurrencyAnswer]
    research_decision: bool
    deliverables: DeliverablesAnswer
    rejections: list[RejectionAnswer]
    result: str
    machine_time: MachineTimeAnswer
    after_close: list[AfterCloseAnswer]


class ExpenseAnswer(BaseModel):
    """One row of the expenses."""

    number: int
    kind: str
    amount: str
    currency: str
    charged_on: str
    note: str | None
    reference: str | None
    corrects: int | None
    tax_state: Literal["included", "excluded"] | None
    provider: str | None
    after_close: bool
    logged_at: str
    logged_by: str


class ExpensesAnswer(BaseModel):
    """A page of expenses; pass `next` as `after` for the following one."""

    items: list[ExpenseAnswer]
    next: int | None


class HeadAnswer(BaseModel):
    """The newest entry of the campaign's journal."""

    number: int
    sha256: str


class ChargedAnswer(ExpenseAnswer):
    """The row, and the head of the journal."""

    head: HeadAnswer


class LimitSetAnswer(LimitAnswer):
    """The budget, and the head of the journal."""

    head: HeadAnswer
