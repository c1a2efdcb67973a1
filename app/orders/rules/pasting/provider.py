"""JSON as a provider's command line or API prints it: which member states which field.

A member counts by its own name (`order_id`, `orderId`, `"Order ID"`), or with the name above it
where its own says nothing (`total.amount`). A price for some unit is never one of the order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from app.orders.rules.pasting.labels import LENGTH, PART, TOTAL
from app.orders.rules.pasting.model import TIMES, Said, Way
from app.orders.rules.pasting.objects import Leaf, Places, leaves
from app.units import instant_text, is_plausible

_NAMES: dict[tuple[str, int], str] = {
    ("reference", 0): "order_id order_number order_no order_nr order_reference order_ref "
    "order_code orderid ordernumber",
    ("reference", 1): "booking_id booking_number booking_reference reservation_id rental_id "
    "contract_id lease_id confirmation_number reference reference_id reference_number ref",
    ("reference", 2): "invoice_number invoice_id invoice_no receipt_number id number",
    ("provider", 0): "provider provider_name seller seller_name vendor vendor_name merchant "
    "merchant_name supplier",
    ("account", 0): "account account_id account_name customer_id customer_number client_id team "
    "team_id organization organization_id workspace",
    ("price", TOTAL): "total total_price total_amount amount_total grand_total order_total "
    "amount_paid total_paid amount_charged total_charged total_cost invoice_total price_total "
    "total_due amount_due paid charged total_value total_gross amount_gross gross",
    ("price", PART): "price amount cost subtotal sub_total net net_amount amount_net net_total "
    "lot_price price_amount price_value cost_amount cost_value price_net fixed_price",
    ("currency", 0): "currency currency_code price_currency total_currency amount_currency",
    ("ordered_at", 0): "ordered_at order_date order_time ordered placed_at purchased_at "
    "purchase_date ordered_on booked_at",
    ("ordered_at", 1): "created_at created created_on creation_time",
    ("starts_at", 0): "start starts starts_at start_at start_time start_date started_at begin "
    "begins_at begin_time valid_from window_start period_start from rental_start starts_on "
    "start_datetime active_from available_from window_from period_from",
    ("ends_at", 0): "end ends ends_at end_at end_time end_date ended_at expires expires_at expiry "
    "expiry_date expiration expiration_date expire_at valid_until valid_to window_end period_end "
    "to until rental_end ends_on end_datetime active_until paid_until window_to period_to "
    "window_until period_until",
    ("usable_until", 0): "usable_until access_until shutdown_at stop_at stops_at",
    ("data_deleted_at", 0): "data_deleted_at delete_data_at data_deletion_at deletion_at",
    ("gpu", 0): "gpu gpu_name gpu_type gpu_model gpu_display_name accelerator accelerator_type "
    "gpus_name gpus_type gpus_model",
    ("gpus", 0): "gpus gpu_count num_gpus n_gpus gpu_num gpu_quantity number_of_gpus gpus_count "
    "accelerator_count",
    ("memory_gib", 0): "memory_gib vram_gib vram_gb gpu_memory_gb gpu_memory_gib gpu_ram_gb "
    "memory_per_gpu_gb",
    ("link", 0): "url link order_url order_link html_url permalink",
    ("auto_renew", 0): "auto_renew autorenew auto_renewal auto_extend renews_automatically",
    (LENGTH, 0): "hours duration_hours rental_hours hours_total duration duration_days days",
}  # fmt: skip
_FIELDS = {name: key for key, names in _NAMES.items() for name in names.split()}
_GENERIC_NAMES = (
    "amount value name id code number at time date currency start end from to until count type "
    "model total gross net url reference ref iso text formatted display"
)
_GENERIC = frozenset(_GENERIC_NAMES.split())
_UNITS_AND_PARTS = (
    "hr hour hours h per rate rates unit units dph day days daily week weekly month monthly minute "
    "second tax taxes vat fee fees discount discounts refund refunds refunded credit credits "
    "balance deposit storage disk bandwidth inet min max minimum maximum estimate estimated limit "
    "budget original list saving savings gpu addon addons promo coupon"
)
_NO_PRICE = frozenset(_UNITS_AND_PARTS.split()) | {"hour" + "ly"}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WRAPPERS = ("orders", "data", "items", "results", "rentals", "reservations", "bookings",
             "instances", "invoices")  # fmt: skip
_EPOCH = re.compile(r"[0-9]{10}(?:[0-9]{3})?(?:\.[0-9]+)?")


def stated(value: object, block: str, first_line: int = 1) -> tuple[Said, ...]:
    """What the members of an object state, in the order of the block that it was read from."""
    found = (_said(leaf) for leaf in leaves(value, Places(block, first_line)))
    return tuple(one for one in found if one is not None)


def orders_in(value: object) -> int:
    """How many orders a JSON text holds: the objects of its list that name one each."""
    many: object = value
    if isinstance(many, Mapping):
        lists = [many[name] for name in _WRAPPERS if isinstance(many.get(name), list)]
        own = any(_field((str(name),)) == ("reference", 0) for name in many)
        many = lists[0] if len(lists) == 1 and not own else [many]
    if not isinstance(many, Sequence) or isinstance(many, str):
        return 0
    return sum(1 for one in many if isinstance(one, Mapping) and _names_an_order(one))


def _names_an_order(one: Mapping[object, object]) -> bool:
    fields = {found[0] for name in one if (found := _field((str(name),)))}
    return "reference" in fields and bool(fields & {"price", "starts_at", "ends_at", "provider"})


def plain_name(written: str) -> str:
    """A name in one spelling: `orderId`, `Order ID` and `order-id` are `order_id`."""
    return "_".join(word.casefold() for word in _WORDS.findall(written))


def _field(path: tuple[str, ...]) -> tuple[str, int] | None:
    own = plain_name(path[-1])
    above = plain_name(path[-2]) if len(path) > 1 else ""
    joined = f"{above}_{own}".strip("_")
    found = _FIELDS.get(joined) if own in _GENERIC or own not in _FIELDS else None
    found = found or _FIELDS.get(own)
    if found is not None and own in ("id", "number") and above not in _ORDERLY:
        return None  # an id of a person, of a machine or of an item
    if found is not None and own in ("name", "type", "model", "count") and above not in _GPUS:
        return None
    return found


_ORDERLY = ("", "order", "data", "result", "rental", "booking", "reservation", "invoice", "orders",
            "items", "results", "rentals", "bookings", "reservations", "invoices")  # fmt: skip
_GPUS = ("gpu", "gpus", "accelerator", "provider", "seller", "vendor", "merchant", "account")


def _said(leaf: Leaf) -> Said | None:
    found = _field(leaf.path)
    if found is None:
        return None
    field, rank = found
    if field == "price":
        words = {word for name in leaf.path for word in plain_name(name).split("_")}
        if words & _NO_PRICE or isinstance(leaf.value, bool):
            return None
    if field in ("link", "provider", "account", "currency") and leaf.is_figure:
        return None
    text = _text(field, leaf)
    if not text or (isinstance(leaf.value, bool) and field != "auto_renew"):
        return None
    if field == "gpu" and leaf.is_figure:
        field = "gpus"
    elif field == "gpus" and not re.fullmatch("[0-9]{1,5}", text):
        field = "gpu"
    return Said(field, text, leaf.line, Way.JSON, rank, whole=leaf.is_figure, member=leaf.member)


def _text(field: str, leaf: Leaf) -> str:
    """A value as text; seconds since 1970 as an instant, a lone length with its unit."""
    said = ("yes" if leaf.value else "no") if isinstance(leaf.value, bool) else leaf.value.strip()
    if field in TIMES and _EPOCH.fullmatch(said):
        digits = said.partition(".")[0]
        at = datetime.fromtimestamp(int(digits[:10]), UTC)
        return instant_text(at) if is_plausible(at) and len(digits) in (10, 13) else ""
    if field == LENGTH and leaf.is_figure:
        unit = "days" if "days" in plain_name(leaf.path[-1]) else "hours"
        return f"{said} {unit}" if "hours" in plain_name(leaf.path[-1]) or unit == "days" else ""
    return said
