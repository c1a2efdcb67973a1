"""The pages of a plan: reading it, editing it by forms, sealing it."""

from __future__ import annotations

from fastapi import APIRouter

from app.plan.pages.axes import router as axes
from app.plan.pages.chance import router as chance
from app.plan.pages.compare import router as compare
from app.plan.pages.drafts import router as drafts
from app.plan.pages.sealing import router as sealing
from app.plan.pages.sections import router as sections
from app.plan.pages.shown import router as shown
from app.plan.pages.step import router as step
from app.plan.pages.what_if import router as what_if

router = APIRouter(include_in_schema=False)
for part in (shown, chance, compare, what_if, axes, sections, step, sealing, drafts):
    router.include_router(part)
