"""What the parts of a plan say in words: decision rule, stop rules, checks, lots."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from app.plan.rules.document.figures import figure_text
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Check, CheckKind, DecisionRule, PlannedStopRule, StopKind
from app.plan.rules.spans import hours_said
from app.plan.rules.typed.labels import CHECK_KINDS, STOP_KINDS
from app.texts import Text, ntext, text
from app.units import Money


def decision_rule_said(rule: DecisionRule) -> Text:
    """The bar between yes and no as one sentence; reaching it exactly is yes."""
    figure = rule.threshold if rule.threshold is not None else rule.gain_over_control
    words = {"metric": rule.metric, "figure": figure if figure is not None else Decimal(0)}
    higher, best = rule.better == "higher", rule.take == "best"
    if rule.threshold is not None:
        if higher:
            return (
                text("Yes if the best {metric} is {figure} or more.", **words)
                if best
                else text("Yes if the final {metric} is {figure} or more.", **words)
            )
        return (
            text("Yes if the best {metric} is {figure} or less.", **words)
            if best
            else text("Yes if the final {metric} is {figure} or less.", **words)
        )
    if higher:
        return (
            text("Yes if the best {metric} beats the control by {figure} or more.", **words)
            if best
            else text("Yes if the final {metric} beats the control by {figure} or more.", **words)
        )
    return (
        text("Yes if the best {metric} is below the control by {figure} or more.", **words)
        if best
        else text("Yes if the final {metric} is below the control by {figure} or more.", **words)
    )


def stop_rule_said(rule: PlannedStopRule) -> tuple[Text, ...]:
    """What a stop rule watches for, and each of its conditions, in short pieces."""
    return (_watched(rule), *_conditions(rule))


def _watched(rule: PlannedStopRule) -> Text:
    metric, value = rule.metric, rule.value
    match rule.kind:
        case StopKind.NON_FINITE if metric:
            return text("{metric} is not finite", metric=metric)
        case StopKind.BELOW if metric and value is not None:
            return text("{metric} is below {value}", metric=metric, value=value)
        case StopKind.ABOVE if metric and value is not None:
            return text("{metric} is above {value}", metric=metric, value=value)
        case StopKind.NOT_BETTER if metric and value:
            return text(
                "{metric} is not better than the control by {value}", metric=metric, value=value
            )
        case StopKind.NOT_BETTER if metric:
            return text("{metric} is not better than the control", metric=metric)
        case StopKind.INPUT_TRUNCATED if value:
            name = metric or text("any input")
            return text("more than {n} of {input} are cut short", n=value, input=name)
        case StopKind.INPUT_TRUNCATED if metric:
            return text("one of {input} is cut short", input=metric)
        case _:
            return STOP_KINDS.get(rule.kind, text("{name}", name=rule.kind))


def _hours(rule: PlannedStopRule, n: Decimal) -> Text:
    """What the hours of a rule mean for its kind."""
    if rule.kind in (StopKind.NOT_BETTER, StopKind.NO_RESTORE):
        return text("by hour {n} of the run", n=n)
    if rule.kind in (StopKind.SILENT, StopKind.OVERTIME):
        return text("for more than {n} h", n=n)
    return text("from hour {n} of the run", n=n)


def _conditions(rule: PlannedStopRule) -> Iterator[Text]:
    if rule.for_ > 1:
        yield text("{n} times in a row", n=rule.for_)
    if rule.after_step is not None and rule.kind == StopKind.NOT_BETTER:
        yield text("by training step {n}", n=rule.after_step)
    elif rule.after_step is not None:
        yield text("from training step {n}", n=rule.after_step)
    if rule.after_hours is not None:
        yield _hours(rule, rule.after_hours)
    if rule.steps:
        yield text("for {steps}", steps=rule.steps)
    if rule.act == "warn":
        yield text("only warns")


def check_said(check: Check) -> Text:
    """One announced check as a sentence piece."""
    match check.kind:
        case CheckKind.EXPECTED_IDS if check.corpus and check.file:
            return text("all ids of {corpus} in {file}", corpus=check.corpus, file=check.file)
        case CheckKind.PARAMETERS if check.file:
            return text("{file} holds the parameters {keys}", file=check.file, keys=check.keys)
        case CheckKind.SCHEMA if check.file:
            return text("{file} has its columns and rows", file=check.file)
        case CheckKind.REPRODUCE if check.command and check.value is not None:
            value = figure_text(check.value)
            return text("{command} prints {value} again", command=check.command, value=value)
        case CheckKind.RELOAD if check.command:
            return text("a new process loads it: {command}", command=check.command)
        case CheckKind.NO_TEMPORARY_PATHS if check.except_:
            return text("no temporary paths, except in {places}", places=check.except_)
        case _:
            return CHECK_KINDS[check.kind]


def lot_said(lot: LotWindow) -> tuple[Text, ...]:
    """A lot's capacity, length and total price, in short pieces; unknown is said."""
    gpus = (
        ntext("{n} GPU {gpu}", "{n} GPUs {gpu}", lot.gpus, gpu=lot.gpu)
        if lot.gpu
        else ntext("{n} GPU", "{n} GPUs", lot.gpus)
    )
    length = text("{length} rented", length=hours_said(lot.end_min - lot.start_min))
    price = (
        text("{price} for the whole lot", price=Money(lot.price_minor, lot.currency))
        if lot.price_minor is not None and lot.currency is not None
        else text("price not known")
    )
    return (gpus, length, price)
