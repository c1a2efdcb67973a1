"""The arguments of every command, with their help and examples."""

from __future__ import annotations

import argparse
import math
import sys
from typing import Final, NoReturn

import punktum
from punktum import talk
from punktum.events import RUN_ID

USAGE: Final = 2

ENVIRONMENT: Final = """\
environment:
  PUNKTUM_URL         address of the server, http://HOST:PORT; without it the spool alone is used
  PUNKTUM_TOKEN_FILE  file that holds the job token (mode 0600), or
  PUNKTUM_TOKEN       the token itself
  PUNKTUM_SPOOL       spool folder (default: .punktum/spool in the output folder)
  PUNKTUM_SPOOL_LIMIT how large one spool file may grow (default: 1GiB)
  PUNKTUM_RUN_ID      the run's id, where --run is not given

exit codes: 0 all is well, 1 a check failed or something was refused, 2 usage, 5 no server
"""
RUN_EXAMPLES: Final = """\
examples:
  punktum run --step control -- python train.py --lr 0.01
  punktum run --step variant-a --param rank=16 --config a.toml --corpus eval=eval.jsonl \\
      --output out/a -- torchrun --nproc_per_node 2 train.py
  punktum run --step control --output out --detach -- python train.py
  punktum run --step control --on-end 'echo "$PUNKTUM_RUN_ID $PUNKTUM_OUTCOME"' -- ./train.sh

The arguments of the command count as parameters; those about resuming, output, logging and hosts
do not. The exit code is the command's (128 + n after signal n), 127 when it is not found; with
--strict 1 or 5 when it was not started.
"""
VERIFY_EXAMPLES: Final = """\
examples:
  punktum verify out --deliverable predictions
  punktum verify out --all --campaign campaign.toml

DIR/ID is looked at where it is a folder, else DIR. The evidence is kept in the spool and posted.
"""
REPLAY_EXAMPLES: Final = """\
examples:
  punktum replay out
  punktum replay out/.punktum/spool --run a-02     # the id of the refused run was taken
  punktum replay out --step control                # for runs whose step the plan does not have

Other runs in the spool are sent as they are. Where more than one may be meant, name its file.
"""
RESTORE_EXAMPLES: Final = """\
examples:
  punktum restore-check --compare loss --steps 20 --output out \\
      --save 'python train.py' --resume 'python train.py --resume'

--save trains PUNKTUM_RESTORE_STEPS steps, saves in PUNKTUM_RESTORE_FOLDER, and trains the same
number once more; --resume loads in a new process and trains that number. Both report one value for
each step: they use punktum.run, or print lines such as loss=0.5 to stdout. Exit codes: 0 passed,
1 failed, 5 passed but no server took the result, which waits in the spool.
"""
STATUS_EXAMPLES: Final = """\
examples:
  punktum status
  punktum status --output out/a --json
"""
CHECK_EXAMPLES: Final = """\
examples:
  punktum check --step control
  PUNKTUM_URL=http://127.0.0.1:8000 PUNKTUM_TOKEN_FILE=~/.punktum-token punktum check
"""


class Parser(argparse.ArgumentParser):
    """Usage errors speak with our prefix and leave with 2."""

    def error(self, message: str) -> NoReturn:
        talk.say(f"{message}\n{self.format_usage().strip()}")
        sys.exit(USAGE)


def make_parser() -> Parser:
    """The parser of everything before ``--``."""
    parser = Parser(
        prog="punktum",
        description="Report training runs and verify deliverables from a rented box.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"punktum {punktum.__version__}")
    acts = parser.add_subparsers(dest="act", metavar="COMMAND", parser_class=Parser)
    for name, summary, examples, fill in (
        ("run", "run a command and record its life and death", RUN_EXAMPLES, _run),
        ("verify", "check a deliverable's files and post the evidence", VERIFY_EXAMPLES, _verify),
        ("restore-check", "save, resume in a new process, compare", RESTORE_EXAMPLES, _restore),
        ("replay", "send what a spool holds, any number of times", REPLAY_EXAMPLES, _replay),
        ("status", "show what the spool holds and what the server has", STATUS_EXAMPLES, _status),
        ("check", "try everything before the training", CHECK_EXAMPLES, _check),
    ):
        fill(
            acts.add_parser(
                name,
                help=summary,
                description=f"{summary[0].upper()}{summary[1:]}.",
                epilog=examples,
                formatter_class=argparse.RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
        )
    return parser


def _run(parser: Parser) -> None:
    parser.usage = "punktum run --step S [options] -- COMMAND …"
    add = parser.add_argument
    add("--step", required=True, metavar="S", help="step of the plan")
    add("--run", metavar="ID", help="the run's id (default: proposed from the spool)")
    _pairs(parser, "--param", "K=V", "a parameter of the configuration")
    _words(parser, "--param-not-config", "K", "an argument that does not count as configuration")
    add("--config", metavar="FILE", help="config file: its bytes count")
    _pairs(parser, "--corpus", "NAME=PATH", "a corpus: its hash counts")
    add("--output", metavar="DIR", help="output folder (default: the current one)")
    add("--beat", type=_seconds, default=30.0, metavar="S", help="seconds between beats (30)")
    add("--grace", type=_seconds, default=30.0, metavar="S", help="seconds from TERM to KILL (30)")
    add("--on-end", metavar="CMD", help="shell command run at the end, with PUNKTUM_OUTCOME set")
    add("--takeover", action="store_true", help="supersede an attempt that still seems alive")
    add("--strict", action="store_true", help="do not start what would not be recorded")
    add("--detach", action="store_true", help="leave the terminal: go on in the background")
    add("--forward-hup", action="store_true", help="pass HUP on: the job ends with the terminal")
    _server(parser)
    add("--json", action="store_true", help="with --detach: print data as JSON")


def _verify(parser: Parser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the output folder")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--deliverable", metavar="D", help="the deliverable's id")
    which.add_argument("--all", action="store_true", help="every announced deliverable")
    parser.add_argument("--campaign", metavar="FILE", help="campaign file to take the checks from")
    _words(parser, "--run", "ID", "a run that made the files (default: PUNKTUM_RUN_ID)")
    _words(parser, "--files", "GLOB", "only these files")
    _server(parser)
    _json(parser)


def _restore(parser: Parser) -> None:
    add = parser.add_argument
    save = "shell command: train N steps, save in $PUNKTUM_RESTORE_FOLDER, train N further ones"
    add("--save", required=True, metavar="CMD", help=save)
    resume = "shell command: load what was saved and train the same N further steps"
    add("--resume", required=True, metavar="CMD", help=resume)
    add("--compare", required=True, metavar="NAME", help="the metric, one value for each step")
    add("--steps", type=_steps, required=True, metavar="N", help="how many steps are compared")
    far = "how far values may lie apart (1e-06), above 1 as part of the larger one"
    add("--tolerance", type=_tolerance, default=1e-6, metavar="X", help=far)
    _words(parser, "--states", "NAME", "a state that is saved: optimizer, random, …")
    add("--step", metavar="S", help="step of the plan (default: that with the role restore_check)")
    add("--run", type=_run_id, metavar="ID", help="the run's id (default: proposed)")
    add("--output", metavar="DIR", help="output folder (default: the current one)")
    _server(parser)
    _json(parser)


def _replay(parser: Parser) -> None:
    parser.add_argument("spool", metavar="SPOOL", help="spool or output folder, or one spool file")
    parser.add_argument("--step", metavar="S", help="record a run of an unknown step under this")
    under = "record the refused run under this id"
    parser.add_argument("--run", type=_run_id, metavar="ID", help=under)
    _server(parser)
    _json(parser)


def _status(parser: Parser) -> None:
    parser.add_argument("--output", metavar="DIR", help="output folder (default: the current one)")
    _json(parser)


def _check(parser: Parser) -> None:
    parser.add_argument("--step", metavar="S", help="step of the plan")
    parser.add_argument("--output", metavar="DIR", help="output folder (default: the current one)")
    _server(parser)
    _json(parser)


def _words(parser: Parser, name: str, metavar: str, text: str) -> None:
    again = f"{text}; may come again"
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=again)


def _pairs(parser: Parser, name: str, metavar: str, text: str) -> None:
    again = f"{text}; may come again"
    parser.add_argument(name, action="append", default=[], type=_pair, metavar=metavar, help=again)


def _server(parser: Parser) -> None:
    parser.add_argument("--url", help="address of the server (default: PUNKTUM_URL)")
    parser.add_argument(
        "--token-file", metavar="FILE", help="file with the job token (default: PUNKTUM_TOKEN_FILE)"
    )


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print data as JSON")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _run_id(text: str) -> str:
    if not RUN_ID.match(text):
        raise argparse.ArgumentTypeError(
            f"{text!r}: letters, digits, '.', '_' and '-', 64 at most, a letter or digit first"
        )
    return text


def _steps(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 10**6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of steps from 1 on")
    return int(text)


def _tolerance(text: str) -> float:
    try:
        tolerance = float(text)
    except ValueError:
        tolerance = -1.0
    if not 0 <= tolerance < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return tolerance


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 86400 seconds")
    return seconds
