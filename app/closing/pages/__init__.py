"""Pages of the close: the desk of an open campaign, and the report."""

from fastapi import APIRouter

from app.closing.pages import desk, paper

router = APIRouter(include_in_schema=False)
for _part in (desk, paper):
    router.include_router(_part.router)
