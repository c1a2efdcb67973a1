"""Orders and invoices that a mail states by schema.org, as JSON-LD or as microdata.

Read are `Order` and `Invoice` (https://schema.org/Order, https://schema.org/Invoice). The validity
of an offer (`validFrom`, `validThrough`) is that of its price, not the rented window.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from app.orders.rules.pasting.labels import PART, TOTAL
from app.orders.rules.pasting.markup import Item
from app.orders.rules.pasting.model import Said, Way
from app.orders.rules.pasting.objects import Leaf, Places, leaves, parse

KINDS = frozenset({"Order", "Invoice"})
MOST_DEPTH = 40

_TOP: dict[str, tuple[str, int]] = {
    "orderNumber": ("reference", 0), "confirmationNumber": ("reference", 1),
    "identifier": ("reference", 2), "accountId": ("account", 0), "orderDate": ("ordered_at", 0),
    "price": ("price", TOTAL), "priceCurrency": ("currency", 0), "url": ("link", 0),
    "startTime": ("starts_at", 0), "startDate": ("starts_at", 0), "endTime": ("ends_at", 0),
    "endDate": ("ends_at", 0),
}  # fmt: skip
_BELOW: dict[str, dict[str, tuple[str, int]]] = {
    "referencesOrder": {"orderNumber": ("reference", 0), "orderDate": ("ordered_at", 0)},
    "totalPaymentDue": {
        "price": ("price", TOTAL), "value": ("price", TOTAL), "priceCurrency": ("currency", 0),
        "currency": ("currency", 0),
    },
    "acceptedOffer": {"price": ("price", PART), "priceCurrency": ("currency", 0)},
    "priceSpecification": {"price": ("price", PART), "priceCurrency": ("currency", 0)},
    "orderedItem": {"name": ("gpu", 1)},
    "itemOffered": {"name": ("gpu", 1)},
    "merchant": {"name": ("provider", 0)}, "seller": {"name": ("provider", 0)},
    "broker": {"name": ("provider", 0)}, "provider": {"name": ("provider", 0)},
}  # fmt: skip
_WINDOWS = ("orderedItem", "itemOffered", "orderDelivery", "reservationFor", "acceptedOffer")
_NAMED = ("merchant", "seller", "broker", "provider")


def orders_of(value: object, depth: int = 0) -> Iterator[Mapping[str, object]]:
    """The orders and invoices of a JSON-LD document, at any depth."""
    if depth > MOST_DEPTH:
        return
    if isinstance(value, Mapping):
        kind = value.get("@type")
        kinds = kind if isinstance(kind, list) else [kind]
        if any(isinstance(one, str) and one.rpartition("/")[2] in KINDS for one in kinds):
            yield value
            return
        for inner in value.values():
            yield from orders_of(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from orders_of(inner, depth + 1)


def several(orders: Sequence[Mapping[str, object]]) -> bool:
    """Whether they are orders of more than one number."""
    named = {str(one.get("orderNumber") or one.get("confirmationNumber") or "") for one in orders}
    return len(named - {""}) > 1


def stated(block: str, first_line: int) -> tuple[tuple[Said, ...], bool]:
    """What a block of JSON-LD states of an order, and whether it holds more than one."""
    value = parse(block)
    orders = tuple(orders_of(value))
    if not orders:
        return (), False
    found = (_said(leaf) for leaf in _of_orders(value, orders, Places(block, first_line)))
    return tuple(one for one in found if one is not None), several(orders)


def _of_orders(
    value: object, orders: Sequence[Mapping[str, object]], places: Places
) -> Iterator[Leaf]:
    """The leaves of the orders alone; where the document is one order they have its paths."""
    if len(orders) == 1 and orders[0] is value:
        yield from leaves(value, places)
        return
    for one in orders:
        yield from leaves(one, places)


def _said(leaf: Leaf) -> Said | None:
    own = leaf.path[-1]
    above = leaf.path[:-1]
    found = _TOP.get(own) if not above else None
    if above and above[-1] in _BELOW:
        found = _BELOW[above[-1]].get(own)
    if found is None and not above and own in _NAMED:
        found = ("provider", 0)
    if found is None and any(name in _WINDOWS for name in above) and own in _TOP:
        found = _TOP[own] if _TOP[own][0] in ("starts_at", "ends_at") else None
    if found is None or isinstance(leaf.value, bool):
        return None
    return Said(
        found[0], leaf.value.strip(), leaf.line, Way.MARKUP, found[1],
        whole=True, member=leaf.member,
    )  # fmt: skip


def as_block(item: Item) -> str | None:
    """Microdata as JSON-LD, line by line; None where it is no order."""
    if not KINDS & set(item.kinds):
        return None
    return json.dumps(_object(item, 0), ensure_ascii=False, indent=1)


def _object(item: Item, depth: int) -> dict[str, object]:
    made: dict[str, object] = {"@type": list(item.kinds)}
    for name, value in item.properties:
        said = value if not isinstance(value, Item) else None
        if isinstance(value, Item) and depth < MOST_DEPTH:
            said = _object(value, depth + 1)
        known = made.get(name)
        if known is None:
            made[name] = said
        else:
            made[name] = [*known, said] if isinstance(known, list) else [known, said]
    return made
