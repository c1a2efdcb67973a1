"""`/campaigns/{id}/connect`: a job token, and the lines to paste where the job runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import book, person
from app.accounts.commands import NewToken, make_token, new_secret, revoke_token
from app.accounts.queries import TokenView, tokens_of
from app.accounts.rules import expiry
from app.errors import AppError
from app.runs import queries
from app.runs.pages.listing import frame_or_404, known_of
from app.texts import text
from app.web import Form, page, read_form, redirect

router = APIRouter()
Typed = Annotated[Form, Depends(read_form)]


@dataclass(frozen=True, slots=True)
class Lines:
    """What is pasted where the job runs, one block for each way."""

    token_file: str
    settings: str
    wrapper: str
    python: str
    shell: str
    tunnel: str | None


@dataclass(frozen=True, slots=True)
class ConnectPage:
    """The page; `made` is a token at the only moment that it can be read."""

    is_open: bool
    made: NewToken | None
    tokens: tuple[TokenView, ...]
    steps: tuple[tuple[str, str], ...]
    step: str
    lines: Lines
    form: Form


@router.get("/campaigns/{campaign_id}/connect")
def connect(request: Request, campaign_id: str, step: str = "") -> Response:
    """The tokens there are, and the lines with a place for one."""
    return _show(request, campaign_id, Form(), step=step)


@router.post("/campaigns/{campaign_id}/connect/tokens")
def make(request: Request, campaign_id: str, form: Typed) -> Response:
    """Make a token and show it, once: a redirect would have to carry it somewhere."""
    actor, now, secret = person(request), clock.now(), new_secret()
    name = form.get("name") or "job"
    with request.app.state.db.read() as session:
        frame_or_404(session, campaign_id, now)
        windows = known_of(session, campaign_id, now).windows
    ends = expiry(now, max((window.ends_at for window in windows), default=None))
    try:
        made = request.app.state.db.write(
            campaign_id,
            lambda tx: make_token(
                tx, campaign_id, secret, name=name, expires_at=ends, actor=actor, now=now
            ),
        )
    except AppError as refusal:
        if refusal.field is None:
            raise
        form.refuse(refusal.field, refusal.detail)
        return _show(request, campaign_id, form, status=refusal.status)
    return _show(request, campaign_id, Form(), made=made, step=form.get("step"))


@router.post("/campaigns/{campaign_id}/connect/revoke")
def revoke(request: Request, campaign_id: str, form: Typed) -> Response:
    """End a token at once."""
    person(request)
    now, token_id = clock.now(), form.get("token")
    request.app.state.db.write(
        campaign_id, lambda tx: revoke_token(tx, campaign_id, token_id, now=now)
    )
    book.forget()
    return redirect(
        request,
        f"/campaigns/{campaign_id}/connect",
        text("The token is revoked. What it sent stays."),
    )


def _show(
    request: Request,
    campaign_id: str,
    form: Form,
    *,
    made: NewToken | None = None,
    step: str = "",
    status: int = 200,
) -> Response:
    now = clock.now()
    with request.app.state.db.read() as session:
        around = frame_or_404(session, campaign_id, now)
        known = known_of(session, campaign_id, now)
        tokens = tokens_of(session, campaign_id, now)
        planned = known.plan.plan.steps if known.plan else ()
        steps = tuple((one.id, one.title) for one in planned if one.gpus)
        chosen = next((id_ for id_, _ in steps if id_ == step), steps[0][0] if steps else "control")
        next_run = queries.next_run(session, campaign_id, chosen)
    context = ConnectPage(
        is_open=around.state != "closed",
        made=made,
        tokens=tokens,
        steps=steps,
        step=chosen,
        lines=lines(address(request), chosen, next_run, request.app.state.settings.jobs_port),
        form=form,
    )
    return page(
        request,
        "runs/connect.html",
        context,
        frame=around,
        title=text("Connect a job"),
        status=status,
    )


def address(request: Request) -> str:
    """Where this server was reached; the Host header was checked before any room saw it."""
    host = next((v for k, v in request.scope["headers"] if k == b"host"), b"127.0.0.1")
    return f"{request.scope['scheme']}://{host.decode('latin-1')}"


def lines(url: str, step: str, next_run: str, jobs_port: int | None) -> Lines:
    """The blocks to paste; the token goes into a file of its owner alone, typed by nobody.

    A shell has nobody who would go on under another id: its lines name one that is free.
    """
    auth = '-H "Authorization: Bearer $(cat ~/.punktum-token)"'
    post = f"curl -fsS -m 10 --retry 5 {auth}"
    run = f"{url}/api/v1/runs/{next_run}"
    return Lines(
        token_file="(umask 077; cat > ~/.punktum-token)",
        settings=f'export PUNKTUM_URL={url}\nexport PUNKTUM_TOKEN_FILE="$HOME/.punktum-token"',
        wrapper=f"punktum check\npunktum run --step {step} -- python train.py",
        python=(
            "import punktum\n\n"
            f'with punktum.run("{step}") as run:\n'
            "    for n, batch in enumerate(batches, start=1):\n"
            "        loss = train(batch)\n"
            '        run.metric("loss", loss)\n'
            "        run.progress(n, len(batches))"
        ),
        shell=(
            f"hash=$(sha256sum config.toml | cut -d' ' -f1)\n"
            f"{post} \\\n  -d step={step} -d config_sha256=$hash {run}/start\n"
            "python train.py > train.log 2>&1; code=$?\n"
            f"tail -c 10k train.log | {post} \\\n  --data-binary @- {run}/exit/$code"
        ),
        tunnel=None if jobs_port is None else _tunnel(jobs_port),
    )


def _tunnel(port: int) -> str:
    return (
        f"# on this machine\nssh -N -R {port}:127.0.0.1:{port} user@rented-box\n"
        f"# on the rented box\nexport PUNKTUM_URL=http://127.0.0.1:{port}"
    )
