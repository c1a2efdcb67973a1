"""Proving the record, and campaigns in and out of it."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app import clock
from app.command_line.asking import (
    Data,
    alone,
    cli,
    engine_of,
    examples,
    refuse,
    refuse_missing,
    say,
    settings_of,
)
from app.errors import AppError

if TYPE_CHECKING:
    from app.runs.commands import Thinning
    from app.settings import Settings


@cli.command(epilog=examples("audit", "audit --anchor heads.json --json"))
def audit(
    anchor: Annotated[
        Path | None,
        typer.Option(help='A head seen before: {"campaign": {"number": 12, "sha256": "…"}}.'),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data: Data = None,
) -> None:
    """Verify every chain and that the projections agree with it; names what does not."""
    from app.journal.verify import verify_database

    settings = settings_of(data)
    refuse_missing(settings)
    anchors = _anchors(anchor)
    with tempfile.TemporaryDirectory() as folder:
        if settings.is_postgres:
            looked_at = settings
        else:
            from app.db.migrate import copy_sqlite

            looked_at = settings.model_copy(update={"data": Path(folder)})
            copy_sqlite(settings.sqlite_file, looked_at.sqlite_file)
        with engine_of(looked_at) as engine:
            report = verify_database(engine, anchors)
    if as_json:
        print(json.dumps(asdict(report), indent=2))
        raise typer.Exit(1 if report.findings else 0)
    for finding in report.findings:
        where = [finding.campaign_id] if finding.campaign_id else []
        where += [f"entry {finding.entry}"] if finding.entry else []
        print(f"WRONG  {' '.join(where)}{': ' if where else ''}{finding.what}")
    for campaign_id, head in report.heads.items():
        print(f"head   {campaign_id} {head.number} {head.sha256}")
    print(
        f"{report.entries} entries in {len(report.heads)} campaigns, "
        f"{len(report.findings)} findings"
    )
    raise typer.Exit(1 if report.findings else 0)


@cli.command(epilog=examples("rebuild", "rebuild --data data"))
def rebuild(data: Data = None) -> None:
    """Make every projection again from the journal, in one transaction."""
    from app.journal.verify import rebuild_database

    settings = settings_of(data)
    if settings.is_postgres:
        refuse_missing(settings)
        with engine_of(settings) as engine:
            rebuild_database(engine)
    else:
        with alone(settings):
            refuse_missing(settings)
            with engine_of(settings) as engine:
                rebuild_database(engine)
    print("The projections were made again from the journal.")


@cli.command(epilog=examples("thin my-campaign --dry-run", "thin my-campaign"))
def thin(
    campaign_id: str,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go; write nothing.")
    ] = False,
    data: Data = None,
) -> None:
    """Remove most beats of a closed campaign: of each hour the first and the last stay.

    The record is proven first; with a finding nothing is removed.
    """
    settings = settings_of(data)
    with alone(settings):
        refuse_missing(settings)
        _refuse_unproven(settings)
        done = _thinned(settings, campaign_id, dry_run)
        if done.removed and not dry_run:
            _give_room_back(settings)
    if not done.removed:
        print("Nothing to remove: each hour has its first and its last beat only.")
        return
    word = "Would remove" if dry_run else "Removed"
    print(f"{word} {done.removed:,} beats of {done.attempts:,} attempts.")
    print(f"{done.kept:,} events of theirs stay.")


def _refuse_unproven(settings: Settings) -> None:
    """End where the record does not hold: what is wrong in it must not be thinned away."""
    from app.journal.verify import verify_database

    with engine_of(settings) as engine:
        findings = verify_database(engine).findings
    if findings:
        refuse(f"the record does not hold, see `punktum-server audit`: {findings[0].what}", 1)


def _thinned(settings: Settings, campaign_id: str, dry: bool) -> Thinning:
    from app.db.database import open_database
    from app.journal import Actor
    from app.runs.commands import thin as thin_out

    actor, now, database = Actor("person", settings.person), clock.now(), open_database(settings)
    try:
        return database.write(
            campaign_id, lambda tx: thin_out(tx, campaign_id, actor=actor, now=now, dry=dry)
        )
    except AppError as refusal:
        refuse(str(refusal.detail), 1)
    finally:
        database.close()


def _give_room_back(settings: Settings) -> None:
    """Shrink the file; what was removed would else be kept for new rows."""
    if settings.is_postgres:
        return
    before = settings.sqlite_file.stat().st_size
    with engine_of(settings) as engine:
        driver = engine.raw_connection()
        driver.cursor().execute("VACUUM")
        driver.close()
    say(f"the database takes {settings.sqlite_file.stat().st_size:,} bytes instead of {before:,}")


@cli.command("import", epilog=examples("import campaign.toml", "import --replace campaign.toml"))
def import_file(
    file: Path,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where the draft says something else.")
    ] = False,
    data: Data = None,
) -> None:
    """Read a campaign file into a draft."""
    from app.exchange.commands import import_path
    from app.journal import Actor
    from app.serving import prepare

    settings = settings_of(data)
    if not file.is_file():
        refuse(f"there is no file {file}", 2)
    with alone(settings):
        database = prepare(settings)
        try:
            done = import_path(
                database, file, Actor("person", settings.person), clock.now(), replace=replace
            )
        except AppError as refusal:
            for line in _problems(refusal) or [str(refusal.detail)]:
                say(f"{file}: {line}")
            raise typer.Exit(1) from None
        finally:
            database.close()
    for warning in done.warnings:
        say(f"{file}: {warning}")
    print(done.campaign_id)


def _anchors(file: Path | None) -> dict[str, dict[str, object]]:
    """Heads seen before, from a JSON file; a file that is none ends with a sentence."""
    if file is None:
        return {}
    try:
        found = json.loads(file.read_text("utf-8"))
        return {
            str(name): {"number": int(one["number"]), "sha256": str(one["sha256"])}
            for name, one in found.items()
        }
    except OSError as error:
        refuse(f"cannot read {file}: {error.strerror}", 2)
    except (ValueError, KeyError, TypeError, AttributeError):
        refuse(
            f'{file} holds no heads; right is {{"campaign": {{"number": 12, "sha256": "…"}}}}', 2
        )


def _problems(refusal: AppError) -> list[str]:
    """What is wrong with a file, a line each: `line 12: steps[0].p50: …`."""
    found = refusal.extra.get("problems")
    if not isinstance(found, list):
        return []
    return [f"line {one['line']}: {one['field']}: {one['detail']}" for one in found]


@cli.command(epilog=examples("export my-campaign > campaign.toml"))
def export(campaign_id: str, data: Data = None) -> None:
    """Print a campaign's file."""
    from app.db.database import open_database
    from app.exchange.queries import file_of

    settings = settings_of(data)
    refuse_missing(settings)
    database = open_database(settings)
    try:
        with database.read() as session:
            text = file_of(session, campaign_id)
    finally:
        database.close()
    if text is None:
        refuse(f"there is no campaign {campaign_id}", 1)
    sys.stdout.write(text)
