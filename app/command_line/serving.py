"""`serve` and `demo`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.exc import OperationalError

from app.command_line.asking import Data, cli, examples, refuse, settings_of
from app.db.lockfile import FolderInUse


@cli.command(epilog=examples("serve --port 8000", "serve --data data --jobs-port 8001"))
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on (PUNKTUM_HOST).")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port of pages and APIs (PUNKTUM_PORT).")
    ] = None,
    jobs_port: Annotated[
        int | None,
        typer.Option("--jobs-port", min=0, max=65535, help="A second port for jobs only."),
    ] = None,
    data: Data = None,
) -> None:
    """Serve pages and APIs; migrates a SQLite database first."""
    from app.db.engines import NoWriteAheadLog
    from app.db.migrate import MigrationFailed, NewerDatabase, NotMigrated
    from app.serving import RefusedToServe, set_up_logs
    from app.serving import serve as serve_until_stopped

    settings = settings_of(data, host=host, port=port, jobs_port=jobs_port)
    set_up_logs(settings.log_level)
    try:
        serve_until_stopped(settings)
    except FolderInUse as held:
        refuse(f"{held}. One folder has one server.", 3)
    except (NewerDatabase, MigrationFailed, NotMigrated, NoWriteAheadLog) as wrong:
        refuse(str(wrong), 4)
    except RefusedToServe as refused:
        refuse(str(refused), 2)
    except OperationalError as error:
        refuse(f"the database does not answer: {str(error).splitlines()[0]}", 1)
    except OSError as error:
        refuse(f"cannot serve on {settings.host}:{settings.port} from {settings.data}: {error}", 1)


@cli.command(epilog=examples("demo", "demo --port 8000"))
def demo(
    host: Annotated[str | None, typer.Option(help="Address to listen on (PUNKTUM_HOST).")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port of the pages (PUNKTUM_PORT).")
    ] = None,
    jobs_port: Annotated[
        int | None,
        typer.Option("--jobs-port", min=0, max=65535, help="A second port for jobs only."),
    ] = None,
) -> None:
    """Serve a throw-away database with the sample campaign and a real one that runs now."""
    from app.demo import run_demo

    folder = Path(tempfile.mkdtemp(prefix="punktum-demo-"))
    try:
        code = run_demo(settings_of(folder, host=host, port=port, jobs_port=jobs_port, demo=True))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    raise typer.Exit(code)
