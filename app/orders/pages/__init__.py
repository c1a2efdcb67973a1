"""The pages of orders: the list with its form, one order with its changes, its correction."""

from __future__ import annotations

from fastapi import APIRouter

from app.orders.pages import correcting, importing, listing, one, pasting

router = APIRouter(include_in_schema=False)
router.include_router(listing.router)
router.include_router(pasting.router)
router.include_router(importing.router)
router.include_router(correcting.router)
router.include_router(one.router)
