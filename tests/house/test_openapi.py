"""OpenAPI says of every operation what it answers, refusals too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.main import create_app
from app.settings import Settings

PROBLEM = "application/problem+json"
CREDENTIALS: list[dict[str, str]] = [{}, {"Authorization": "Bearer pk_unknown"}]


@pytest.fixture
def client(settings: Settings, sqlite: Database) -> TestClient:
    return TestClient(create_app(settings, sqlite, b"a secret of the tests"))


@pytest.fixture
def schema(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return found


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_every_refusal_has_the_one_shape(schema: dict[str, Any]) -> None:
    for method, path, operation in operations(schema):
        refusals = {code for code in operation["responses"] if code[0] in "45"}
        assert {"401", "403", "404", "413", "422"} <= refusals, (method, path)
        assert method == "GET" or {"409", "503"} <= refusals, (method, path)
        for code in refusals:
            assert set(operation["responses"][code]["content"]) == {PROBLEM}, (method, path, code)


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    known = {f"#/components/schemas/{name}" for name in schema["components"]["schemas"]}
    assert set(references(schema)) <= known
    assert not [name for name in known if "ValidationError" in name]


def test_what_is_refused_is_described(client: TestClient, schema: dict[str, Any]) -> None:
    for method, path, operation in operations(schema):
        address = re.sub(r"\{\w+\}", "nowhere", path)
        for headers in CREDENTIALS:
            answer = client.request(method, address, headers=headers)
            described = operation["responses"][str(answer.status_code)]
            kind = answer.headers["content-type"].partition(";")[0]
            assert kind in described["content"], (method, path, answer.status_code)
            if kind == PROBLEM:
                needed = schema["components"]["schemas"]["Problem"]["required"]
                assert set(needed) <= answer.json().keys()


def test_a_form_is_described_as_it_is_read(schema: dict[str, Any]) -> None:
    body = schema["paths"]["/api/v1/runs/{run_id}/beat"]["post"]["requestBody"]["content"]
    form = body["application/x-www-form-urlencoded"]["schema"]
    assert "metrics" not in form["properties"]
    (members,) = form["patternProperties"]
    assert re.match(members, "metrics.loss")
    assert not re.match(members, "progress.x")
