"""The pages of offers: the catalogue, one offer with its versions, its form, files in and out."""

from __future__ import annotations

from fastapi import APIRouter

from app.offers.pages import files, form, index, show

router = APIRouter(include_in_schema=False)
# Fixed addresses stand before the ids, which may hold any number of slashes.
for part in (index, files, form, show):
    router.include_router(part.router)
