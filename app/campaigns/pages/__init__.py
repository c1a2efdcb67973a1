"""The pages of campaigns: the list, the form of a new one, and each one's overview."""

from __future__ import annotations

from fastapi import APIRouter

from app.campaigns.pages.entry import router as entry
from app.campaigns.pages.listing import router as listing
from app.campaigns.pages.overview import router as overview

router = APIRouter(include_in_schema=False)
for part in (listing, entry, overview):
    router.include_router(part)
