"""Sealed plans as files: written out, and proven from the file alone."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.command_line.asking import (
    Data,
    Plainly,
    cli,
    examples,
    refuse,
    refuse_missing,
    settings_of,
)

plan = typer.Typer(
    cls=Plainly,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Sealed plans as files.",
    epilog=examples("plan export my-campaign > sealed.json", "plan verify sealed.json"),
)
cli.add_typer(plan, name="plan")


@plan.command(
    epilog=examples("plan export my-campaign > sealed.json", "plan export my-campaign --version 2")
)
def export(
    campaign_id: str,
    version: Annotated[int, typer.Option(help="Which sealed version.", min=1)] = 1,
    data: Data = None,
) -> None:
    """Print a sealed version with its schedule and hash, as JSON that proves itself."""
    from app.db.database import open_database
    from app.exchange.queries import sealed_file

    settings = settings_of(data)
    refuse_missing(settings)
    database = open_database(settings)
    try:
        with database.read() as session:
            found = sealed_file(session, campaign_id, version)
    finally:
        database.close()
    if found is None:
        refuse(f"there is no sealed version {version} of a campaign {campaign_id}", 1)
    sys.stdout.write(found)


@plan.command(
    epilog=examples("plan verify sealed.json", "plan verify sealed.json --sha256 9f86d0… --json")
)
def verify(
    file: Path,
    sha256: Annotated[
        str | None, typer.Option(help="The hash as it was seen at the seal or in a report.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute the hashes of a sealed version again, from its file alone; needs no database.

    The entry's hash covers who sealed it and when, the reason and what was known. The journal
    (`audit`, a report, the spool of a job) is the witness that this is the entry.
    """
    from app.exchange.queries import SealedFile, read_sealed

    try:
        found = read_sealed(file.read_bytes())
    except OSError as error:
        refuse(f"cannot read {file}: {error.strerror}", 2)
    if not isinstance(found, SealedFile):
        refuse(f"{file}: {found}", 2)
    wanted = (sha256 or found.stated).strip().lower()
    holds = found.holds and found.found == wanted
    if as_json:
        print(json.dumps({**asdict(found), "holds": holds}))
    else:
        print(f"{found.campaign}, version {found.version}: {'holds' if holds else 'DOES NOT HOLD'}")
        print(f"plan and schedule       {found.found}")
        print(f"entry {found.entry_number} of the journal  {found.entry_found}")
        if found.found != wanted:
            print(f"sealed was              {wanted}")
        if found.entry_found != found.entry_stated:
            print(f"the entry was           {found.entry_stated}")
    raise typer.Exit(0 if holds else 1)
