"""What a person writes at the close, in one form: composed, without outer spaces, readable."""

from __future__ import annotations

import unicodedata

from app.texts import Text, text

MOST_CHARACTERS = 4000


def tidied(said: str) -> str:
    """The text composed (NFC), its lines ended alike, without outer spaces."""
    return unicodedata.normalize("NFC", said.replace("\r\n", "\n")).strip()


def sentence_problem(said: str) -> Text | None:
    """Why a tidied text is not taken."""
    if not said:
        return text("Say it in a sentence.")
    if len(said) > MOST_CHARACTERS:
        return text("At most {n} characters.", n=MOST_CHARACTERS)
    if any(unicodedata.category(sign) in ("Cc", "Cs") and sign != "\n" for sign in said):
        return text("Control characters are not taken; remove them.")
    return None
