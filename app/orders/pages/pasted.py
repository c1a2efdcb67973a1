"""The order form as a pasted text fills it in: where each value came from, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.orders.pages.entry import EXTRA, OrderEntry
from app.orders.rules import Fillable, fold_of, local_text
from app.orders.rules.pasting import TIMES, Asked, Candidate, Found, Pasted, Value, Way
from app.texts import Text, text
from app.units import Money, parse_amount, zone
from app.web import Form

NAMES = {
    "reference": "reference", "provider": "provider", "account": "account", "price": "price",
    "currency": "price_currency", "ordered_at": "ordered", "starts_at": "starts",
    "ends_at": "ends", "usable_until": "usable", "gpus": "gpus", "gpu": "gpu",
    "memory_gib": "memory", "link": "link", "auto_renew": "auto_renew",
    "data_deleted_at": "deleted",
}  # fmt: skip
"""How the form calls what a text says."""
NEEDED = ("price", "currency", "starts_at", "ends_at")
"""Questions without whose answer nothing is logged."""
NOT_KNOWN = "none"
ZONE = "zone"
"""The one question that stands for the times of a text which all lack their zone."""
LEGENDS: dict[str, Text] = {
    "reference": text("Order reference"),
    "provider": text("Provider"),
    "account": text("Account"),
    "price": text("Total price"),
    "currency": text("Currency"),
    "ordered_at": text("Ordered at"),
    "starts_at": text("Window starts"),
    "ends_at": text("Window ends"),
    "usable_until": text("Usable until"),
    "gpus": text("GPUs in the lot"),
    "gpu": text("Which GPU"),
    "memory_gib": text("Memory of a GPU"),
    "link": text("Link"),
    "auto_renew": text("Renews by itself"),
    "data_deleted_at": text("Data deleted at"),
}
Option = tuple[str, object, object]


@dataclass(frozen=True, slots=True)
class Question:
    """What the text leaves open, with the readings to choose from; the answer so far."""

    name: str
    legend: Text
    said: Text
    options: tuple[Option, ...]
    answer: str = ""
    error: Text | None = None


def value_text(value: Value, zone_name: str) -> str:
    """A value as its field holds it; times in the zone of the form, with seconds where there are
    any."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        if value.second:
            return f"{value.astimezone(zone(zone_name)):%Y-%m-%dT%H:%M:%S}"
        return local_text(value, zone_name)
    return str(value)


def values_of(name: str, value: Value, zone_name: str) -> dict[str, str]:
    """What the form's fields hold for one value of a text."""
    values = {NAMES[name]: value_text(value, zone_name)}
    if isinstance(value, datetime):
        values[f"{NAMES[name]}_fold"] = fold_of(value, zone_name)
    return values


def filled(values: Mapping[str, str], pasted: Pasted, zone_name: str) -> dict[str, str]:
    """The values of a form with what the text says in place of them.

    What the text asks about is left empty. Where it states one end of the window, the plan's other
    end does not stand beside it.
    """
    made = dict(values)
    said = {*pasted.found, *pasted.asked}
    if said & {"starts_at", "ends_at"}:
        said |= {"starts_at", "ends_at"}
    for name in said - {"currency"}:
        made |= {NAMES[name]: "", f"{NAMES[name]}_fold": "", f"ask.{name}": ""}
    for name, found in pasted.found.items():
        made |= values_of(name, found.value, zone_name)
    return made


def planned_lot(entry: OrderEntry, open_lots: Sequence[Fillable]) -> str:
    """The planned lot that the order fills: the first open one with as many GPUs, if they say."""
    gpus = entry.get("gpus")
    if not open_lots or not gpus.isdecimal():
        return entry.get("lot")
    fits = (lot.id for lot in open_lots if lot.gpus in (None, int(gpus)))
    return next(fits, EXTRA)


def tell(entry: OrderEntry, pasted: Pasted, plan: Mapping[str, str]) -> None:
    """Say at each field where its value came from, as long as it is still that value."""
    for name, field in NAMES.items():
        found, value = pasted.found.get(name), entry.get(field)
        if found is not None and value == value_text(found.value, entry.zone):
            entry.told[field] = _told(found)
        elif found is None and name not in pasted.asked and value and plan.get(field) == value:
            entry.told[field] = text("From the plan; the text does not say it.")
    money = entry.told.pop("price_currency", None)
    if "price" not in entry.told and money is not None and entry.get("price"):
        entry.told["price"] = money


def _told(found: Found) -> Text:
    if found.way is Way.WINDOW:
        return text(
            "Line {n}: “{written}”; the end follows from the start and this length.",
            n=found.line,
            written=found.written,
        )
    return text("Line {n}: “{written}”", n=found.line, written=found.written)


def answered(form: Form, pasted: Pasted, zone_name: str) -> dict[str, str]:
    """The form's values with each question's answer where its field was left empty."""
    values = dict(form.values)
    common = common_zones(pasted)
    for name, asked in pasted.asked.items():
        chosen = _chosen(form, name, asked, common)
        typed = form.get(NAMES[name])
        ours = {value_text(one.value, zone_name) for one in asked.candidates}
        empty = name == "currency" or not typed or typed in ours
        if chosen is not None and empty:
            values |= values_of(name, chosen.value, zone_name)
            if chosen.currency is not None:
                values[NAMES["currency"]] = chosen.currency
    return values


def _chosen(
    form: Form, name: str, asked: Asked, common: Mapping[str, Sequence[str]]
) -> Candidate | None:
    if name in common:
        place = form.get(f"ask.{ZONE}")
        return next((one for one in asked.candidates if one.zone == place), None)
    number = form.get(f"ask.{name}")
    if not (number.isascii() and number.isdecimal() and len(number) < 4):
        return None
    return asked.candidates[int(number)] if int(number) < len(asked.candidates) else None


def common_zones(pasted: Pasted) -> dict[str, tuple[str, ...]]:
    """The times that one question answers: two or more, each with one reading in the same zones."""
    found: dict[str, tuple[str, ...]] = {}
    for name in TIMES:
        zones = tuple(one.zone or "" for one in pasted.asked[name].candidates) if (
            name in pasted.asked) else ()  # fmt: skip
        if len(zones) > 1 and len(set(zones)) == len(zones):
            found[name] = zones
    alike = [name for name in found if found[name] == found.get("starts_at")]
    return {name: found[name] for name in alike} if len(alike) > 1 else {}


def questions(form: Form, pasted: Pasted, entry: OrderEntry) -> tuple[Question, ...]:
    """What the text leaves open, in the order of the form; while one that matters has no answer
    it carries its error."""
    common = common_zones(pasted)
    found: list[Question] = []
    if common:
        found.append(_of_zones(form, pasted, common))
    for name in NAMES:
        asked = pasted.asked.get(name)
        if asked is not None and name not in common:
            key = "price" if name == "currency" else NAMES[name]
            error = entry.errors.get(key)
            found.append(
                Question(
                    f"ask.{name}",
                    LEGENDS[name],
                    asked.question,
                    tuple(_options(asked, name)),
                    form.get(f"ask.{name}"),
                    error if error == unanswered(name) else None,
                )
            )
    return tuple(found)


def unanswered(name: str) -> Text:
    """What is said while a question that matters has no answer."""
    return text("{field}: answer the question about it, or fill it in.", field=LEGENDS[name])


def _of_zones(form: Form, pasted: Pasted, common: Mapping[str, Sequence[str]]) -> Question:
    options: list[Option] = []
    for number, place in enumerate(common["starts_at"]):
        times = {name: pasted.asked[name].candidates[number].value for name in common}
        here = text("here {at}", at=times["starts_at"])
        if "ends_at" in times:
            here = text("here {starts_at} – {ends_at}", starts_at=times["starts_at"],
                        ends_at=times["ends_at"])  # fmt: skip
        options.append((place, place, here))
    return Question(
        f"ask.{ZONE}",
        text("Time zone"),
        text("The times of the text name no zone. In which one are they?"),
        tuple(options),
        form.get(f"ask.{ZONE}"),
    )


def _options(asked: Asked, name: str) -> list[Option]:
    options: list[Option] = []
    for number, one in enumerate(asked.candidates):
        label: object = one.value
        if name == "price" and one.currency is not None:
            minor = parse_amount(one.value, one.currency, strict=True)
            label = Money(minor, one.currency)
        where = text("Line {n}: “{written}”", n=one.line, written=one.written)
        options.append((str(number), label, where if one.zone is None else (one.zone, where)))
    if name == "price":
        options.append((NOT_KNOWN, text("not known yet"), None))
    return options


def refuse_unanswered(form: Form, pasted: Pasted, entry: OrderEntry) -> None:
    """Nothing is logged while a question that matters has no answer."""
    common = common_zones(pasted)
    for name in NEEDED:
        asked = pasted.asked.get(name)
        if asked is None or (name == "currency" and not entry.get("price")):
            continue
        skipped = name == "price" and form.get("ask.price") == NOT_KNOWN
        is_open = _chosen(form, name, asked, common) is None and not skipped
        if is_open and (name == "currency" or not entry.get(NAMES[name])):
            entry.errors["price" if name == "currency" else NAMES[name]] = unanswered(name)
