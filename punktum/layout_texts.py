"""The pages of an output folder: what is expected where, and how to load it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from punktum import reading
from punktum.sheet import Deliverable, Sheet

Check = Mapping[str, object]
_KEPT = "PATH, VIRTUAL_ENV, HF_HOME"
ADAPTER = "adapter_config.json"


def expected_files(deliverable: Deliverable) -> list[str]:
    """The files that its checks name, each once."""
    named = [reading.text(check.get("file")) for check in deliverable.checks]
    kinds = [check.get("kind") for check in deliverable.checks]
    return list(
        dict.fromkeys([*filter(None, named), *([ADAPTER] if "base_revision" in kinds else [])])
    )


def readme(sheet: Sheet, places: Mapping[str, str], runs: str) -> str:
    """``README.md``: every deliverable with its place and its checks, in plain words."""
    campaign = reading.record(sheet.raw.get("campaign"))
    question = reading.text(campaign.get("question"))
    named = f" of the campaign {sheet.campaign}" if sheet.campaign else ""
    parts = [f"# Output folder{named}", ""]
    if question:
        parts += [*(f"> {said}" for said in question.splitlines()), ""]
    parts += [
        "Made by `punktum init`, which keeps this page up to date until a person changes it.",
        "",
        "| where | what | written by |",
        "|---|---|---|",
        *(f"| {_where(places[one.id])} | {_cell(one.title)} | you |" for one in sheet.deliverables),
        f"| `{runs}/RUN/parameters.json` | configuration of a run and its hash | `punktum run` |",
        f"| `{runs}/RUN/measurements.jsonl` | what it reported, beat by beat | `punktum run` |",
        f"| `{runs}/RUN/stop_reasons.jsonl` | how each attempt ended and why | `punktum run` |",
        "| `RELOAD.md` | how to load the files again | `punktum init` |",
        "| `MANIFEST.json` | every file with size and SHA-256 | `punktum verify` |",
        "| `.punktum/` | spool and logs: bring it home too | `punktum run` |",
        "",
        "Runs fill in their part where this folder is their `--output`. Commands below are meant",
        "to be typed in this folder.",
    ]
    if not sheet.deliverables:
        parts += ["", "No deliverable is known here yet."]
    for one in sheet.deliverables:
        parts += ["", *_section(one, places[one.id], runs)]
    return "\n".join(parts) + "\n"


def reload_page(sheet: Sheet, places: Mapping[str, str]) -> str:
    """``RELOAD.md``: the commands that load what was delivered."""
    parts = [
        "# How to load the files again",
        "",
        "Each command is run in the folder named, by a new process that knows nothing else.",
    ]
    found = [(one, check) for one in sheet.deliverables for check in one.checks if _command(check)]
    if not found:
        parts += ["", "No command was announced. Write down here what loads the files."]
    for one, check in found:
        kept = ", ".join(reading.texts(check.get("keep_env"))) or _KEPT
        parts += [
            "",
            f"## {_line(one.title)}",
            "",
            f"In {_where(places[one.id])}, with {kept} of the environment and",
            "`HF_HUB_OFFLINE=1`:",
            "",
            *(f"    {said}" for said in _command(check).splitlines()),
        ]
        if check.get("kind") == "reproduce":
            parts += ["", f"It prints {_value(check)}."]
    return "\n".join(parts) + "\n"


def _section(one: Deliverable, place: str, runs: str) -> list[str]:
    words = ", ".join(
        filter(None, (one.kind, "essential" if one.is_essential else "not essential"))
    )
    parts = [f"## {_line(one.title)}", "", f"`{one.id}` ({words}), in {_where(place)}.", ""]
    files = expected_files(one)
    if files:
        parts += ["Expected files:", ""]
        parts += [f"- `{_below(place)}{name}`" for name in files] + [""]
    if any(check.get("kind") == "parameters" for check in one.checks):
        parts += [f"A run's parameters are in `{runs}/RUN/parameters.json`: copy what is true.", ""]
    parts += ["What is checked:", ""] if one.checks else ["No check was announced.", ""]
    parts += [f"- {_line(expectation(check, one))}" for check in one.checks]
    if one.checks:
        parts.append("")
    typed = shlex.join(["punktum", "verify", ".", "--deliverable", one.id])
    return [*parts, f"When it is there: `{typed} --run RUN`"]


def expectation(check: Check, one: Deliverable | None = None) -> str:
    """What a check asks for, in plain words."""
    kind, file = reading.text(check.get("kind")) or "", reading.text(check.get("file"))
    left_out = ", ".join(f"`{name}`" for name in reading.texts(check.get("except")))
    but_for = f", but for {left_out}" if left_out else ""
    if kind == "non_empty":
        return f"`{file}` has bytes in it" if file else f"every file has bytes in it{but_for}"
    if kind == "expected_ids":
        return _ids(check, file or "the file")
    if kind == "no_temporary_paths":
        return f"no file names a path that is gone tomorrow, such as one in /tmp{but_for}"
    if kind == "base_revision":
        return f"`{ADAPTER}` names the base model and its full commit hash, not a branch"
    if kind == "parameters":
        keys = ", ".join(f"`{key}`" for key in reading.texts(check.get("keys")))
        return f"`{file}` says a value for {keys or 'every parameter'}"
    if kind == "schema":
        return _schema(check, file or "the file")
    if kind == "reload":
        return f"`{_command(check)}` ends with 0 in a new process, with these files alone"
    if kind == "reproduce":
        return f"`{_command(check)}` prints {_value(check)} again"
    more = ", ".join(f"{name} = {said}" for name, said in check.items() if name != "kind")
    return f"{kind}{f' ({more})' if more else ''}"


def _ids(check: Check, file: str) -> str:
    ids, corpus = reading.texts(check.get("ids")), reading.text(check.get("corpus"))
    whose = f"the ids of the corpus {corpus}" if corpus else f"the {len(ids)} announced ids"
    more = check.get("match") == "superset"
    how = f"at least {whose}" if more else f"exactly {whose}"
    column = reading.text(check.get("column")) or "id"
    return f"`{file}` holds {how}, each once (in a table: column `{column}`)"


def _schema(check: Check, file: str) -> str:
    columns = ", ".join(f"`{name}`" for name in reading.texts(check.get("columns")))
    exact, least = reading.whole(check.get("rows")), reading.whole(check.get("min_rows"))
    said = [f"the columns {columns}"] if columns else []
    said += [f"exactly {exact} rows"] if exact is not None else []
    said += [f"at least {least} rows"] if least is not None else []
    return f"`{file}` has {' and '.join(said) or 'rows'}"


def _value(check: Check) -> str:
    tolerance = check.get("tolerance")
    return f"{check.get('value')}{f' (± {tolerance})' if tolerance else ''}"


def _command(check: Check) -> str:
    return reading.text(check.get("command")) or ""


def _below(place: str) -> str:
    return "" if place == "." else f"{place}/"


def _where(place: str) -> str:
    return "this folder" if place == "." else f"`{place}/`"


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    return " ".join(text.split())
