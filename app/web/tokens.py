"""Small signed things in cookies: which browser this is, its form token, a sentence shown once."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets

from fastapi import Request
from starlette.responses import Response

_BROWSER = re.compile(r"[A-Za-z0-9_-]{22}")


def browser_of(request: Request) -> str:
    """The random name of this browser, from its cookie or made now."""
    known = request.cookies.get("browser", "")
    return known if _BROWSER.fullmatch(known) else secrets.token_urlsafe(16)


def remember_browser(request: Request, response: Response, browser: str) -> None:
    """Set the browser's name where it was not known yet."""
    if request.cookies.get("browser") != browser:
        response.set_cookie("browser", browser, max_age=400 * 86400, httponly=True, samesite="lax")


def csrf_token(secret: bytes, browser: str, rendering: str | None = None) -> str:
    """The token that our forms carry and a foreign page cannot know.

    Each rendering has a name of its own in it, so that a form sent twice is known.
    """
    rendering = rendering or secrets.token_urlsafe(6)
    return f"{rendering}.{_sign(secret, f'form:{rendering}:{browser}'.encode())}"


def csrf_holds(secret: bytes, request: Request, given: str) -> bool:
    """Whether a form's token is one of this browser."""
    browser, rendering = request.cookies.get("browser", ""), given.partition(".")[0]
    if not browser or not rendering:
        return False
    right = csrf_token(secret, browser, rendering)
    return hmac.compare_digest(right.encode(), given.encode("utf-8", "surrogatepass"))


def write_flash(request: Request, response: Response, said: str) -> None:
    """Keep a sentence, signed, until the next page."""
    body = base64.urlsafe_b64encode(said[:800].encode()).decode()
    signature = _sign(request.app.state.secret, b"flash:" + body.encode())
    response.set_cookie("flash", f"{body}.{signature}", max_age=120, httponly=True, samesite="lax")


def read_flash(request: Request) -> str | None:
    """The kept sentence, when it is one of ours."""
    body, _, signature = request.cookies.get("flash", "").rpartition(".")
    if not body or not hmac.compare_digest(
        _sign(request.app.state.secret, b"flash:" + body.encode()), signature
    ):
        return None
    return base64.urlsafe_b64decode(body).decode("utf-8", "replace")


def _sign(secret: bytes, message: bytes) -> str:
    return (
        base64.urlsafe_b64encode(hmac.digest(secret, message, hashlib.sha256)).decode().rstrip("=")
    )
