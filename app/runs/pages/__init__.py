"""Pages of runs: the list, one run, people's time, and how a job is connected."""

from fastapi import APIRouter

from app.runs.pages import client_file, connect, listing, people, run, upload

router = APIRouter(include_in_schema=False)
for _part in (client_file, connect, people, listing, run, upload):
    router.include_router(_part.router)
