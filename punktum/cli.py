"""The command ``punktum``: which module does what. Data goes to stdout, talk to stderr."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from punktum import talk
from punktum.calling import called, line
from punktum.command_line import USAGE, make_parser
from punktum.job_settings import settings_for_a_job
from punktum.settings import Settings, SettingsError, read_settings, spool_folder, spool_in

if TYPE_CHECKING:
    from punktum.replay import Replayed

OK: Final = 0
FAILED: Final = 1
UNREACHABLE: Final = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code. What stands after ``--`` is the job's command."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    place = words.index("--") if "--" in words else len(words)
    ours, command = words[:place], tuple(words[place + 1 :])
    parser = make_parser()
    chosen, unread = parser.parse_known_args(ours)
    if unread:
        talk.say(_about_unread(words, unread))
        return USAGE
    try:
        if chosen.act == "run":
            return _run(chosen, command)
        if chosen.act is None or command:
            parser.print_help(sys.stderr)
            return USAGE
        from punktum.file_acts import init, pull, verify

        acts = {
            "init": init,
            "verify": verify,
            "pull": pull,
            "restore-check": _restore_check,
            "replay": _replay,
            "status": _status,
            "check": _check,
        }
        return acts[str(chosen.act)](chosen)
    except SettingsError as error:
        talk.say(str(error))
        return USAGE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILED


def _about_unread(words: list[str], unread: list[str]) -> str:
    """What is wrong with words that no option takes: often the ``--`` before a command."""
    if words[0] == "run" and "--" not in words and not unread[0].startswith("-"):
        place = words.index(unread[0])
        return f"-- is missing before the command: {line(*words[:place], '--', *words[place:])}"
    return f"not understood: {' '.join(unread)}; see {line(words[0], '--help')}"


def _run(chosen: argparse.Namespace, command: tuple[str, ...]) -> int:
    if not command:
        talk.say(f"no command: {called()} run --step {shlex.quote(chosen.step)} -- COMMAND …")
        return USAGE
    from punktum.wish import Wish
    from punktum.wrapper import WrappedRun

    wish = Wish(
        step=chosen.step,
        command=command,
        run=chosen.run or _inherited_run_id(),
        params=dict(chosen.param),
        not_config=tuple(chosen.param_not_config),
        config=chosen.config,
        corpora=dict(chosen.corpus),
        output=chosen.output,
        beat_s=chosen.beat,
        grace_s=chosen.grace,
        on_end=chosen.on_end,
        takeover=chosen.takeover,
        strict=chosen.strict,
        forward_hup=chosen.forward_hup,
        links=dict(chosen.link),
    )
    settings = _settings_for_a_job(chosen)
    if not chosen.detach:
        return WrappedRun(wish, settings).run()
    from punktum.detaching import leave_terminal

    left = leave_terminal(
        wish.step, wish.output, lambda tell: WrappedRun(wish, settings, tell).run()
    )
    if left.code is not None:
        return left.code
    if chosen.json:
        _print_json(left.form(wish.output))
    else:
        print("\n".join(left.lines(wish.output)))
    return OK


def _inherited_run_id() -> str | None:
    """``PUNKTUM_RUN_ID``, unless it is that of a wrapper around this one."""
    if os.environ.get("PUNKTUM_ATTEMPT_ID"):
        return None
    return os.environ.get("PUNKTUM_RUN_ID") or None


def _settings_for_a_job(chosen: argparse.Namespace) -> Settings:
    """A training is not kept from starting by a wrong address, unless that was wished."""
    if chosen.strict:
        return read_settings(chosen.url, chosen.token_file)
    return settings_for_a_job(chosen.url, chosen.token_file)


def _restore_check(chosen: argparse.Namespace) -> int:
    from punktum.checkpoints import STATES
    from punktum.restoring import CheckWish, own_run, record_check, step_to_record

    settings = read_settings(chosen.url, chosen.token_file)
    states = tuple(name for said in chosen.states for name in said.replace(",", " ").split())
    if unknown := [name for name in states if name not in STATES]:
        talk.say(f"--states: {', '.join(unknown)} unknown; there are {', '.join(STATES)}")
        return USAGE
    wish = CheckWish(
        chosen.save,
        chosen.resume,
        chosen.compare,
        chosen.steps,
        chosen.tolerance,
        states,
        chosen.output,
    )
    step = chosen.step or step_to_record(chosen.output, settings)
    run = own_run(wish, step, chosen.run or _inherited_run_id(), settings)
    checked = record_check(wish, run)
    if checked is None:
        return FAILED
    if chosen.json:
        _print_json(checked.form(wish, run.id))
    else:
        print("\n".join(checked.lines(wish)))
    if not checked.comparison.passed or run.was_refused:
        return FAILED
    return OK if settings.url is None or run.is_sent else UNREACHABLE


def _replay(chosen: argparse.Namespace) -> int:
    from punktum.mending import NotClear
    from punktum.replay import Replay
    from punktum.server import Server
    from punktum.sheet import other_campaign

    settings = read_settings(chosen.url, chosen.token_file)
    spool = spool_in(Path(chosen.spool))
    if settings.url is None:
        talk.say("no server: set PUNKTUM_URL or give --url")
        return USAGE
    if not spool.exists():
        talk.say(f"{spool} is not there")
        return USAGE
    server = Server(settings)
    try:
        replay = Replay(server, spool, step=chosen.step, run=chosen.run)
    except NotClear as error:
        talk.say(str(error))
        return USAGE
    if replay.is_empty and not (spool / "sheet.json").exists():
        talk.say(f"{spool} holds no events: it is no spool, or not the right one")
        return USAGE
    foreign = other_campaign(server, spool if spool.is_dir() else spool.parent)
    if foreign is not None:
        talk.say(foreign)
        return FAILED
    return _told(replay.send(), chosen.json)


def _told(done: Replayed, as_json: bool) -> int:
    """Say what became of a replay; the exit code."""
    if as_json:
        _print_json(done.form())
    else:
        attempts = talk.count(done.attempts, "attempt", "attempts")
        events = talk.count(done.events, "event", "events")
        submissions = talk.count(done.submissions, "submission", "submissions")
        refused = f", {done.submissions_refused} refused" if done.submissions_refused else ""
        print(f"{attempts}, {events} sent, {done.refused} refused; {submissions} sent{refused}")
    for refusal in done.first_refusals:
        talk.say(f"refused, kept in the spool: {refusal}")
    for said in (*done.renamed, *done.kept):
        talk.say(said)
    if done.trouble:
        talk.say(f"not finished: {done.trouble}; nothing is lost, try again")
        return FAILED if done.not_allowed else UNREACHABLE
    return FAILED if done.refused or done.submissions_refused or done.kept else OK


def _status(chosen: argparse.Namespace) -> int:
    from punktum.status import spool_status, status_lines

    folder = spool_folder(chosen.output)
    if not folder.is_dir():
        talk.say(f"no spool at {folder}; name the output folder with --output")
        return USAGE
    status = spool_status(folder)
    if chosen.json:
        _print_json(status.form())
    else:
        print("\n".join(status_lines(status)))
    return OK


def _check(chosen: argparse.Namespace) -> int:
    from punktum.preflight import preflight

    settings: Settings | SettingsError
    try:
        settings = read_settings(chosen.url, chosen.token_file)
    except SettingsError as error:
        settings = error
    findings, code = preflight(settings, spool_folder(chosen.output), chosen.step)
    if chosen.json:
        items = [{"name": f.name, "state": f.state, "text": f.text} for f in findings]
        _print_json({"items": items})
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            print(f"{finding.state:<4}  {finding.name:<{width}}  {finding.text}")
    return code


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
