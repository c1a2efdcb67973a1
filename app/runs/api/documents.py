"""How OpenAPI describes the job API's bodies: made from the table that reads them."""

from __future__ import annotations

from typing import Any, Final

from app.runs.api.bodies import GROUPS
from app.runs.api.models import Problem
from app.runs.rules.events import REASONS, SOURCES, STATES, Kind
from app.runs.rules.reading import FIELDS
from app.runs.rules.values import MOST_SEQ
from punktum import links

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_SHA: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_TEXTS: Final = {"type": "object", "additionalProperties": _TEXT}
_KNOWN: Final[dict[str, dict[str, Any]]] = {
    "run": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},
    "attempt_id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "source": {"type": "string", "examples": list(SOURCES)},
    "seq": {"type": "integer", "minimum": 1, "maximum": MOST_SEQ},
    "kind": {"enum": [kind.value for kind in FIELDS]},
    "at": {"type": "string", "format": "date-time", "description": "the job's clock, with offset"},
    "elapsed_s": {**_COUNT, "description": "seconds since the attempt began"},
    "config_sha256": _SHA,
    "machine_id": _SHA,
    "config": {
        "type": "object",
        "description": "params, config_file, git_commit, git_diff, corpora",
    },
    "not_config": _TEXTS,
    "links": {
        "type": "object",
        "additionalProperties": {
            "type": "string",
            "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
            "maxLength": links.ADDRESS_LENGTH,
        },
        "maxProperties": links.MOST,
        "examples": [{"mlflow": "https://mlflow.example.org/#/experiments/1"}],
    },
    "metrics": {
        "type": "object",
        "additionalProperties": {"type": ["number", "string"]},
        "examples": [{"loss": 0.31, "grad_norm": "inf"}],
    },
    "judged": {"type": "object", "description": "by rule: evaluated, hits, last"},
    "fired": {
        "type": "array",
        "items": {"type": "object"},
        "description": "rules that fired on the box: rule, metric, value, text",
    },
    "inputs": {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {"expected": _COUNT, "truncated": _COUNT},
            "required": ["expected", "truncated"],
        },
        "examples": [{"invoices": {"expected": 1200, "truncated": 3}}],
    },
    "restore": {
        "type": "object",
        "description": "what a restore check found",
        "properties": {
            "passed": {"type": "boolean"},
            "save_s": {"type": "number", "minimum": 0},
            "restore_s": {"type": "number", "minimum": 0},
            "size": _COUNT,
            "states": {"type": "array", "items": {"enum": list(STATES)}},
            "steps": _COUNT,
            **dict.fromkeys(("reason", "compared", "expected", "found", "path"), _TEXT),
        },
        "required": ["passed"],
    },
    "gpus": {"type": "array", "items": _COUNT},
    "gone_attempts": {"type": "array", "items": _TEXT},
    "states": {"type": "array", "items": {"enum": list(STATES)}},
    "takeover": {"type": "boolean"},
    "expect_next_s": {
        "type": "integer",
        "minimum": 1,
        "description": "the next sign is due within",
    },
    "write_s": {"type": "number", "minimum": 0},
    "exit_code": {"type": "integer"},
    "signal": {"type": "integer", "minimum": 1, "maximum": 127},
    "reason_code": {"type": "string", "examples": [*REASONS, "rule:loss-not-finite"]},
    "log_tail": {"type": "string", "description": "the last 10 kB are kept"},
    **dict.fromkeys(("progress", "total", "pid", "size"), _COUNT),
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Problem, "description": said}
    for status, said in {
        401: "unknown token",
        403: "a token that has ended, was revoked, or is of another campaign",
        409: "contradicts the record: new-id-needed, attempt-alive, illegal-transition, …",
        410: "the run is archived: nothing new is added to it",
        413: "too large",
        422: "malformed: the field and what is allowed",
        429: "this token posts too fast; nothing was stored, try again after Retry-After",
        503: "nothing was stored; try again after Retry-After",
    }.items()
}


def event_body(kind: Kind) -> dict[str, Any]:
    """The request body of a single post."""
    return _body(_schema(kind, without=("kind",)))


def batch_body() -> dict[str, Any]:
    """The request body of a batch."""
    any_event = {"anyOf": [_schema(kind) for kind in FIELDS]}
    events = {"type": "array", "items": any_event, "minItems": 1, "maxItems": 1000}
    schema = {"type": "object", "properties": {"events": events}, "required": ["events"]}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, "required": True}}


def raw_log_body() -> dict[str, Any]:
    """The request body of an exit code: the end of a log."""
    schema = {"type": "string", "format": "binary"}
    return {"requestBody": {"content": {"*/*": {"schema": schema}}, "required": False}}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    content = {
        "application/json": {"schema": schema},
        "application/x-www-form-urlencoded": {"schema": _as_form(schema)},
    }
    return {"requestBody": {"content": content, "required": False}}


def _as_form(schema: dict[str, Any]) -> dict[str, Any]:
    """A form has no objects; their members come as fields of their own, `metrics.loss=0.3`."""
    flat = {name: one for name, one in schema["properties"].items() if name not in GROUPS}
    members = {f"^({'|'.join(GROUPS)})\\..+$": _TEXT}
    return {**schema, "properties": flat, "patternProperties": members}


def _schema(kind: Kind, without: tuple[str, ...] = ()) -> dict[str, Any]:
    names = [name for name in FIELDS[kind] if name not in without]
    schema: dict[str, Any] = {
        "type": "object",
        "title": kind.value,
        "properties": {name: _KNOWN.get(name, _TEXT) for name in names},
        "additionalProperties": False,
    }
    if kind is Kind.START:
        schema["required"] = ["step", "config_sha256"]
    return schema
