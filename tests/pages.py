"""Reading pages in tests as a person would: parsed, with the form's token and prefilled fields."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node


def read(response: Response) -> HTMLParser:
    """The parsed page."""
    return HTMLParser(response.text)


def fields(form: Node) -> dict[str, str | list[str]]:
    """What a browser would send for this form as it stands (no submit button)."""
    found: dict[str, list[str]] = {}
    for control in form.css("input[name], textarea[name], select[name]"):
        name, kind = control.attributes["name"], control.attributes.get("type", "text")
        if name is None or "disabled" in control.attributes or kind in ("submit", "button", "file"):
            continue
        if kind in ("checkbox", "radio") and "checked" not in control.attributes:
            continue
        if control.tag == "textarea":
            value = control.text() or ""
        elif control.tag == "select":
            chosen = control.css_first("option[selected]") or control.css_first("option")
            value = (chosen.attributes.get("value", chosen.text()) or "") if chosen else ""
        else:
            value = control.attributes.get("value") or ("on" if kind == "checkbox" else "")
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def submit(
    client: TestClient,
    page: str,
    form: str = "main form",
    values: Mapping[str, object] | None = None,
    **more: object,
) -> Response:
    """Open a page, fill in its form as it stands with these values, and send it."""
    tree = read(client.get(page))
    node = tree.css_first(form)
    assert node is not None, f"no form {form} on {page}"
    data = {**fields(node), **(values or {}), **more}
    action = node.attributes.get("action") or page
    return client.post(action, data=data)
