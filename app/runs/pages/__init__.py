"""Pages of runs: the list, one run, people's time, and how a job is connected."""

from fastapi import APIRouter

from app.runs.pages import connect, listing, people, run

router = APIRouter(include_in_schema=False)
for _part in (connect, people, listing, run):
    router.include_router(_part.router)
