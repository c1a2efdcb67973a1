"""The pages of a plan: reading it, editing it by forms, sealing it."""

from __future__ import annotations

from fastapi import APIRouter

from app.plan.pages.drafts import router as drafts
from app.plan.pages.sealing import router as sealing
from app.plan.pages.sections import router as sections
from app.plan.pages.shown import router as shown
from app.plan.pages.step import router as step

router = APIRouter(include_in_schema=False)
for part in (shown, sections, step, sealing, drafts):
    router.include_router(part)
