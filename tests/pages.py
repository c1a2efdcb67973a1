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
    button: str | None = None,
    **more: object,
) -> Response:
    """Open a page, fill in its form as it stands with these values, and send it, by one of its
    buttons where a selector names it."""
    return send(client, client.get(page), form, values, button, **more)


def send(
    client: TestClient,
    shown: Response,
    form: str,
    values: Mapping[str, object] | None = None,
    button: str | None = None,
    **more: object,
) -> Response:
    """The same with a page that was answered already, as after a refusal."""
    node = read(shown).css_first(form)
    assert node is not None, f"no form {form} on {shown.url}"
    data = {**fields(node), **(values or {}), **more}
    action = node.attributes.get("action") or str(shown.url)
    if button is not None:
        pressed = node.css_first(button)
        assert pressed is not None, f"no button {button} on {shown.url}"
        if (name := pressed.attributes.get("name")) is not None:
            data[name] = pressed.attributes.get("value") or ""
        action = pressed.attributes.get("formaction") or action
    return client.post(action, data=data)
