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


def csrf_token(secret: bytes, browser: str) -> str:
    """The token that our forms carry and a foreign page cannot know."""
    return _sign(secret, b"form:" + browser.encode())


def csrf_holds(secret: bytes, request: Request, given: str) -> bool:
    """Whether a form's token is the one of this browser."""
    browser = request.cookies.get("browser", "")
    return bool(browser) and hmac.compare_digest(csrf_token(secret, browser), given)


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
