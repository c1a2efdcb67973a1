"""The message catalogues and the choice of a language."""

from __future__ import annotations

import functools
import gettext
from collections.abc import Mapping
from pathlib import Path

from babel.core import negotiate_locale

LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "vi": "Tiếng Việt"}
LOCALE = Path(__file__).resolve().parent.parent / "locale"


@functools.cache
def catalogue(language: str) -> gettext.NullTranslations:
    """The compiled catalogue of a language; English is the msgids themselves."""
    if language == "en":
        return gettext.NullTranslations()
    return gettext.translation("punktum", LOCALE, [language])


@functools.lru_cache(maxsize=256)
def choose(chosen: str | None, accepted: str | None) -> str:
    """The language a person chose, else the best of the browser's list, else English."""
    if chosen in LANGUAGES:
        return str(chosen)
    ranked: list[tuple[float, str]] = []
    for part in (accepted or "").split(",")[:20]:
        name, _, quality = part.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), name.strip()))
        except ValueError:
            continue
    wanted = [name for _, name in sorted(ranked, key=lambda pair: pair[0]) if name]
    return negotiate_locale(wanted, list(LANGUAGES), sep="-") or "en"
