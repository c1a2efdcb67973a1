"""Making and revoking job tokens."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime

from app.accounts.access import PREFIX
from app.accounts.tables import JobToken
from app.db import WriteSession
from app.errors import AppError, Closed, Malformed, NotFound
from app.journal import Actor
from app.texts import text

NAME_LENGTH = 100


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token at the only moment it can be read."""

    id: str
    token: str
    expires_at: datetime


def new_secret() -> str:
    """A fresh token; made before the writer runs, so that a repeated command keeps it."""
    return PREFIX + secrets.token_urlsafe(32)


def make_token(
    tx: WriteSession,
    campaign_id: str,
    secret: str,
    *,
    name: str,
    expires_at: datetime,
    actor: Actor,
    now: datetime,
) -> NewToken | AppError:
    """Store the hash of a new token for one campaign that is not closed."""
    standing = tx.row(
        "SELECT s.state FROM campaigns c LEFT JOIN campaign_standings s ON s.campaign_id = c.id"
        " WHERE c.id = :id",
        {"id": campaign_id},
    )
    if standing is None:
        return NotFound(text("There is no campaign {id}.", id=campaign_id))
    if standing[0] == "closed":
        return Closed(text("This campaign was closed. Its record is not changed any more."))
    if len(name) > NAME_LENGTH:
        said = text("A name has at most {n} characters.", n=NAME_LENGTH)
        return Malformed(said, field="name")
    digest = hashlib.sha256(secret.encode()).hexdigest()
    token_id = digest[:12]
    tx.add(
        JobToken(
            id=token_id, campaign_id=campaign_id, name=name or "job", sha256=digest,
            created_at=now, created_by=actor.name, expires_at=expires_at,
        )
    )  # fmt: skip
    return NewToken(token_id, secret, expires_at)


def revoke_token(
    tx: WriteSession, campaign_id: str, token_id: str, *, now: datetime
) -> NotFound | None:
    """End a token at once; events that it sent stay."""
    changed = tx.execute(
        "UPDATE job_tokens SET revoked_at = :now"
        " WHERE id = :id AND campaign_id = :campaign AND revoked_at IS NULL",
        {"now": now, "id": token_id, "campaign": campaign_id},
    )
    return None if changed else NotFound(text("There is no such token, or it was revoked before."))


def forget_tokens(tx: WriteSession, campaign_id: str) -> None:
    """Delete the tokens of a draft that is itself being deleted; a record keeps its tokens."""
    tx.execute("DELETE FROM job_tokens WHERE campaign_id = :id", {"id": campaign_id})


def note_use(tx: WriteSession, token_id: str, now: datetime) -> None:
    """Write down that a token was used; the caller asks `TokenBook.note_due` first."""
    tx.execute(
        "UPDATE job_tokens SET last_used_at = :now WHERE id = :id", {"now": now, "id": token_id}
    )
