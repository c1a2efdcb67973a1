"""Fixtures that many rooms share: migrated databases of both kinds, an app around each."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import hypothesis
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr

from app.db import Database, open_database
from app.db.engines import postgres_engine, sqlite_engine
from app.db.migrate import migrate_postgres, migrate_sqlite
from app.journal import Actor
from app.main import create_app
from app.settings import Settings
from tests import postgres
from tests.postgres import new_database

hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")
"""No test looks at the time it took: machines are shared."""

NOW = datetime(2026, 12, 1, 14, 12, tzinfo=UTC)
PERSON = Actor("person", "local")


def pytest_sessionfinish() -> None:
    """End what the run has started beside itself."""
    postgres.end()


class _Raising(logging.Handler):
    """Makes a fault of ours, which a server only logs, fail the test that ran into it."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


@pytest.fixture(autouse=True)
def faults_of_ours_raise() -> Iterator[None]:
    """A schedule of ours that breaks a rule is an error in every test that saves a plan."""
    log, raising = logging.getLogger("punktum.plan"), _Raising(logging.ERROR)
    log.addHandler(raising)
    yield
    log.removeHandler(raising)


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A freshly migrated SQLite file that tests copy instead of migrating again."""
    file = tmp_path_factory.mktemp("empty") / "punktum.sqlite"
    engine = sqlite_engine(file, write=True)
    migrate_sqlite(file, engine, NOW)
    engine.dispose()
    return file


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a test server: its own folder, nothing from the environment's `.env`."""
    return Settings(
        PUNKTUM_DATA=tmp_path / "data", PUNKTUM_ALLOWED_HOSTS="testserver", _env_file=None
    )


@pytest.fixture
def sqlite(settings: Settings, empty_sqlite: Path) -> Iterator[Database]:
    """A migrated SQLite database."""
    settings.data.mkdir(parents=True)
    shutil.copy(empty_sqlite, settings.sqlite_file)
    database = open_database(settings)
    yield database
    database.close()


@pytest.fixture(scope="session")
def migrated_postgres(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a migrated template database on the PostgreSQL that tests start."""
    address = new_database("template_punktum")
    engine = postgres_engine(address)
    migrate_postgres(engine)
    engine.dispose()
    return address


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Database]:
    """A migrated database, once of each kind."""
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite")
        return
    request.getfixturevalue("migrated_postgres")
    address = new_database(template="template_punktum")
    opened = open_database(settings.model_copy(update={"database_url": SecretStr(address)}))
    yield opened
    opened.close()


@pytest.fixture
def app(settings: Settings, database: Database) -> FastAPI:
    """The app on each kind of database."""
    return create_app(settings, database, b"a secret of the tests")


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    """A client of the app as a script on this machine would be (no browser headers)."""
    return TestClient(app, follow_redirects=False)
