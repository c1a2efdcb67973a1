"""Extracting the interface's sentences and comparing the catalogues with them.

Run as a module it brings the catalogues up to date and names what is to be translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from app.language.catalogues import LANGUAGES, LOCALE
from tests.house.source import ROOT

KEYWORDS = {
    "_": None,
    "N_": None,
    "text": None,
    "sentence": None,
    "ntext": (1, 2),
    "n_": (1, 2),
    "ngettext": (1, 2),
    "plural": (1, 2),
}
NO_SENTENCE = re.compile(r"[A-Z]+ .+ FROM |SELECT |[^\w{]*$")
"""What a call of another `text` or `_` holds: a statement of SQL, or no word at all."""


def extracted() -> Catalog:
    """Every sentence of the source, with where it stands."""
    catalog = Catalog(project="Punktum")
    sources = (
        (ROOT / "app", [("**.py", "python")]),
        (ROOT / "templates", [("**.html", "jinja2.ext:babel_extract")]),
    )
    for folder, methods in sources:
        options = {"**.html": {"trim_blocks": "true", "lstrip_blocks": "true"}}
        for file, line, message, comments, _context in extract_from_dir(
            folder, methods, options, keywords=KEYWORDS, comment_tags=("Translators:",)
        ):
            if NO_SENTENCE.match(message if isinstance(message, str) else message[0]):
                continue
            catalog.add(
                message, locations=[(f"{folder.name}/{file}", line)], auto_comments=comments
            )
    return catalog


def file_of(language: str) -> Path:
    """Where a language's catalogue lies."""
    return LOCALE / language / "LC_MESSAGES" / "punktum.po"


def catalogue(language: str) -> Catalog:
    """The catalogue of a language as committed."""
    with file_of(language).open("rb") as source:
        return read_po(source, locale=language)


def translated() -> list[str]:
    """The languages that have a catalogue; English is the sentences themselves."""
    return [language for language in LANGUAGES if language != "en"]


def missing(catalog: Catalog) -> Iterator[Message]:
    """Sentences without a translation, or with one that is only guessed."""
    for message in catalog:
        forms = message.string if isinstance(message.string, list | tuple) else (message.string,)
        if message.id and (message.fuzzy or not all(forms)):
            yield message


def update() -> None:
    """Bring every catalogue up to date, compile it, and say what is missing."""
    template = extracted()
    for language in translated():
        path = file_of(language)
        path.parent.mkdir(parents=True, exist_ok=True)
        known = (
            catalogue(language) if path.exists() else Catalog(locale=language, project="Punktum")
        )
        known.update(template, no_fuzzy_matching=True)
        known.obsolete.clear()
        with path.open("wb") as target:
            write_po(
                target,
                known,
                width=110,
                sort_output=True,
                ignore_obsolete=True,
                include_lineno=False,
            )
        with path.with_suffix(".mo").open("wb") as target:
            write_mo(target, known)
        print(f"{language}: {len(known)} sentences, {len(list(missing(known)))} to be translated")


if __name__ == "__main__":
    update()
