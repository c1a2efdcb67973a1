"""The body of a mail that was pasted with its source: headers, parts, encodings."""

from __future__ import annotations

import re
from email import message_from_string
from email.message import EmailMessage
from email.policy import default

_HEADER = re.compile(r"(?:^|\n)(?:mime-version|content-transfer-encoding|content-type)\s*:", re.I)
_SHOWN = ("From", "Subject")


def body_of(raw: str) -> str | None:
    """The text of a mail's source with its subject and sender; None where it is no source.

    Its HTML part goes before the plain one, because it can carry structured data.
    """
    head = raw.lstrip()[:8000]
    if not _HEADER.search(head) or not re.match(r"[A-Za-z][A-Za-z0-9\-]{1,40}\s?:", head):
        return None
    try:
        message = message_from_string(raw.lstrip(), policy=default)
        assert isinstance(message, EmailMessage)
        part = message.get_body(("html", "plain"))
        body = part.get_content() if part is not None else None
        if not isinstance(body, str) or not body.strip():
            return None
        heads = [f"{name}: {message[name]}" for name in _SHOWN if message[name]]
    except Exception:  # the library raises of many kinds on broken sources
        return None
    assert part is not None
    if part.get_content_subtype() == "html":
        return "".join(f"<p>{_escaped(one)}</p>" for one in heads) + body
    return "\n".join([*heads, body])


def _escaped(said: str) -> str:
    return said.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
