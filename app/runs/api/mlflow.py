"""The door for MLflow's stock client: the handful of calls that start, log and end a run.

A job token writes and reads nothing back: a client learns of its own run no more than name and
state, and finds no others. Refusals have MLflow's own shape.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app import clock
from app.accounts.access import JobAccess, book, job
from app.accounts.commands import note_use
from app.db import WriteSession
from app.errors import AppError, Malformed, NotFound, NotSignedIn
from app.journal import Actor
from app.runs import commands, queries
from app.runs.api.bodies import read_json, unpacked
from app.runs.api.mlflow_forms import experiment, failure, run_info, whole_run
from app.runs.api.pacing import paces
from app.runs.commands.tracking import Teller, create, log, update
from app.runs.rules.tracked import ENDS_AS, GOES_ON
from app.runs.rules.tracker import (
    Logged,
    created,
    fingerprint,
    logged,
    logged_inputs,
    logged_one,
    milliseconds,
    reference,
)
from app.runs.rules.values import Unreadable
from app.texts import text

router = APIRouter(include_in_schema=False)
Body = Mapping[str, Any]
Call = Callable[[Request, JobAccess, Body], Awaitable[dict[str, Any]]]
_PREFIX: Final = "api/2.0/mlflow/"
_METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]


@router.api_route("/mlflow/{act:path}", methods=_METHODS)
async def answer(request: Request, act: str) -> Response:
    """Take one call of an MLflow client.

    The link that the client prints leads a person's browser to the campaigns.
    """
    try:
        if request.method == "GET" and not act and "authorization" not in request.headers:
            return RedirectResponse("/campaigns", 307)
        access = job(request)
        if access is None:
            said = text("Set MLFLOW_TRACKING_TOKEN to a job token of the campaign.")
            raise NotSignedIn(said)
        paces.admit(access.token_id, request.app.state.settings.posts_per_s)
        call = CALLS.get((request.method, act.removeprefix(_PREFIX)))
        if call is None or not act.startswith(_PREFIX):
            raise NotFound(_not_here(act))
        return _json(200, await call(request, access, await _body(request)))
    except Unreadable as error:
        return _refusal(commands.malformed(error))
    except AppError as refusal:
        return _refusal(refusal)


def _not_here(act: str) -> Any:
    if "artifacts" in act or "logged-models" in act or "log-model" in act:
        return text(
            "Punktum keeps no files and no models: they stay on the machine, where “punktum "
            "verify” looks at them."
        )
    return text(
        "Punktum takes runs, parameters, metrics and tags from MLflow, not “{call}”.", call=act
    )


def _refusal(refusal: AppError) -> Response:
    status, form = failure(refusal)
    response = _json(status, form)
    if refusal.retry_after_s is not None:
        response.headers["retry-after"] = str(refusal.retry_after_s)
    return response


def _json(status: int, form: object) -> Response:
    said = json.dumps(form, ensure_ascii=True, separators=(",", ":"))
    return Response(said, status, media_type="application/json")


async def _body(request: Request) -> Body:
    if request.method == "GET":
        return dict(request.query_params)
    raw = unpacked(request.scope, await request.body())
    found = read_json(raw) if raw.strip() else {}
    if not isinstance(found, Mapping):
        raise Malformed(text("The body is a JSON object."), field="body")
    return found


async def _write(
    request: Request, access: JobAccess, command: Callable[[Teller], AppError | Any]
) -> Any:
    """Run a command in the writer's transaction; once in a while note that the token was used."""
    now, actor = clock.now(), Actor("job", access.name)
    is_due = book.note_due(access.token_id)

    def telling(tx: WriteSession) -> Any:
        result = command(Teller(tx, access.campaign_id, actor, now))
        if is_due and not isinstance(result, AppError):
            note_use(tx, access.token_id, now)
        return result

    return await request.app.state.db.write_async(access.campaign_id, telling)


# -- experiments: the token's campaign is the only one, whatever it is called --------------------


async def _experiment(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    return {"experiment": experiment(access.campaign_id, body.get("experiment_name"))}


async def _make_experiment(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    return {"experiment_id": access.campaign_id}


async def _experiments(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    return {"experiments": [experiment(access.campaign_id, None)]}


# -- runs -----------------------------------------------------------------------------------------


async def _create(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    said = created(body)
    ref = await _write(request, access, lambda teller: create(teller, said))
    return {"run": whole_run(ref, access.campaign_id, said)}


async def _update(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    ref, status = reference(body.get("run_id")), body.get("status")
    if status is not None and status not in ENDS_AS and status not in GOES_ON:
        allowed = (*ENDS_AS, *sorted(GOES_ON))
        raise Malformed(text("The status is one of MLflow's."), field="status", allowed=allowed)
    at_us = milliseconds(body.get("end_time"))
    await _write(request, access, lambda teller: update(teller, ref, status, at_us))
    return {"run_info": await _info(request, access, body)}


async def _info(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    ref = reference(body.get("run_id") or body.get("run_uuid"))
    with request.app.state.db.read() as session:
        found = queries.run_of(session, access.campaign_id, ref.run, clock.now())
    if found is None:
        raise NotFound(text("There is no run {run} here.", run=ref.run))
    return run_info(ref, access.campaign_id, found)


async def _run(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    info = await _info(request, access, body)
    return {"run": {"info": info, "data": {"metrics": [], "params": [], "tags": []}}}


async def _no_runs(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    return {"runs": []}


async def _nothing(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
    return {}


def _logging(act: str, read: Callable[[Body], Logged]) -> Call:
    """A call that logs; what it was told is known again by its body."""

    async def call(request: Request, access: JobAccess, body: Body) -> dict[str, Any]:
        ref, said = reference(body.get("run_id") or body.get("run_uuid")), read(body)
        name = fingerprint(act, body)
        await _write(request, access, lambda teller: log(teller, ref, said, name))
        return {}

    return call


CALLS: Final[Mapping[tuple[str, str], Call]] = {
    ("GET", "experiments/get-by-name"): _experiment,
    ("GET", "experiments/get"): _experiment,
    ("POST", "experiments/create"): _make_experiment,
    ("POST", "experiments/search"): _experiments,
    ("POST", "experiments/set-experiment-tag"): _nothing,
    ("POST", "runs/create"): _create,
    ("GET", "runs/get"): _run,
    ("POST", "runs/update"): _update,
    ("POST", "runs/search"): _no_runs,
    ("POST", "runs/log-batch"): _logging("batch", logged),
    ("POST", "runs/log-metric"): _logging("metric", lambda body: logged_one("metric", body)),
    ("POST", "runs/log-parameter"): _logging("param", lambda body: logged_one("param", body)),
    ("POST", "runs/set-tag"): _logging("tag", lambda body: logged_one("tag", body)),
    ("POST", "runs/log-inputs"): _logging("inputs", logged_inputs),
}
"""Method and address below `/mlflow/api/2.0/mlflow/` → what is done."""
