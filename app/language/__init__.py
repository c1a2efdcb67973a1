"""The edge where sentences and values become English, German or Vietnamese."""

from app.language.catalogues import LANGUAGES, choose
from app.language.reader import Reader, reader

__all__ = ["LANGUAGES", "Reader", "choose", "reader"]
