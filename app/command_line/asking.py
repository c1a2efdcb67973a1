"""What every act of `punktum-server` begins with: settings, talk, the folder for itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from typer.core import TyperGroup

from app.db.lockfile import FolderInUse, FolderLock
from app.settings import Settings, load


class Plainly(TyperGroup):
    """What stands in the way of an act is said in one sentence, never as a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the act; folders, files and databases that fail end with the exit code for it."""
        from app.db.engines import NoWriteAheadLog, sqlite_driver
        from app.db.migrate import MigrationFailed, NewerDatabase, NotMigrated

        try:
            return super().invoke(ctx)
        except (NewerDatabase, MigrationFailed, NotMigrated, NoWriteAheadLog) as wrong:
            refuse(str(wrong), 4)
        except (SQLAlchemyError, sqlite_driver().Error) as error:
            refuse(f"the database does not answer: {str(error).splitlines()[0]}", 1)
        except OSError as error:
            named = f"{error.filename}: " if error.filename else ""
            refuse(f"{named}{error.strerror or error}", 1)


def examples(*lines: str) -> str:
    """The end of an act's help: one or two lines as they are typed, each kept as a line."""
    return "\n".join(("\b", "Examples:", *(f"  punktum-server {line}" for line in lines)))


cli = typer.Typer(
    cls=Plainly,
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Punktum's server side. Settings come from the environment or .env (see `config`).",
    epilog=examples("serve --port 8000", "backup punktum.backup"),
)


Data = Annotated[Path | None, typer.Option("--data", help="The data folder (PUNKTUM_DATA).")]


def settings_of(data: Path | None = None, **changes: object) -> Settings:
    """The settings with what was asked for on the command line; a bad one ends with 2."""
    try:
        settings = load()
    except ValidationError as error:
        for problem in error.errors():
            say(f"setting {'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}")
        raise typer.Exit(2) from None
    wanted = {name: value for name, value in {"data": data, **changes}.items() if value is not None}
    return settings.model_copy(update=wanted)


def say(sentence: str) -> None:
    """Talk goes to stderr; stdout is for data."""
    print(f"punktum-server: {sentence}", file=sys.stderr)


def refuse(sentence: str, code: int = 1) -> NoReturn:
    """Say why not, and end with an exit code."""
    say(sentence)
    raise typer.Exit(code)


def refuse_missing(settings: Settings) -> None:
    """End with a sentence where there is no database to look at, or it does not answer."""
    from app.db.migrate import check

    if not settings.is_postgres and not settings.sqlite_file.exists():
        refuse(f"there is no database in {settings.data}", 1)
    with engine_of(settings) as engine:
        current = check(engine)
    if not current:
        refuse("the database is not at this version's schema: run `punktum-server migrate`", 4)


@contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Hold the folder, or name the server that does."""
    try:
        with FolderLock(settings.data, "a command of punktum-server"):
            yield
    except FolderInUse as held:
        refuse(f"{held}. Stop it first, or use it.", 3)


@contextmanager
def engine_of(settings: Settings) -> Iterator[Engine]:
    """An engine that may write, on whichever database the settings name."""
    from app.db.engines import postgres_engine, sqlite_engine

    if settings.is_postgres and settings.database_url is not None:
        engine = postgres_engine(settings.database_url.get_secret_value())
    else:
        engine = sqlite_engine(settings.sqlite_file, write=True)
    try:
        yield engine
    finally:
        engine.dispose()


def print_version(asked: bool) -> None:
    """`--version`."""
    if asked:
        print(f"punktum-server {installed('punktum')}")
        raise typer.Exit


@cli.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Serve Punktum and look after its data."""
