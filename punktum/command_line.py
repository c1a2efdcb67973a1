"""The arguments of every command, with their help and examples."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Final, NoReturn

import punktum
from punktum import talk
from punktum.calling import called
from punktum.file_commands import FILE_COMMANDS
from punktum.options import (
    add_json,
    add_pairs,
    add_server,
    add_words,
    link,
    run_id,
    seconds,
    steps,
    tolerance,
)

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
  %(prog)s --step control -- python train.py --lr 0.01
  %(prog)s --step variant-a --param rank=16 --config a.toml --corpus eval=eval.jsonl \\
      --output out/a -- torchrun --nproc_per_node 2 train.py
  %(prog)s --step control --output out --detach -- python train.py
  %(prog)s --step control --on-end 'echo "$PUNKTUM_RUN_ID $PUNKTUM_OUTCOME"' -- ./train.sh

The arguments of the command count as parameters; those about resuming, output, logging and hosts
do not. The exit code is the command's (128 + n after signal n), 127 when it is not found; with
--strict 1 or 5 when it was not started.
"""
REPLAY_EXAMPLES: Final = """\
examples:
  %(prog)s out
  %(prog)s out/.punktum/spool --run a-02     # the id of the refused run was taken
  %(prog)s out --step control                # for runs whose step the plan does not have

Other runs in the spool are sent as they are. Where more than one may be meant, name its file.
"""
RESTORE_EXAMPLES: Final = """\
examples:
  %(prog)s --compare loss --steps 20 --output out \\
      --save 'python train.py' --resume 'python train.py --resume'

--save trains PUNKTUM_RESTORE_STEPS steps, saves in PUNKTUM_RESTORE_FOLDER, and trains the same
number once more; --resume loads in a new process and trains that number. Both report one value for
each step: they use punktum.run, or print lines such as loss=0.5 to stdout. Exit codes: 0 passed,
1 failed, 5 passed but no server took the result, which waits in the spool.
"""
STATUS_EXAMPLES: Final = """\
examples:
  %(prog)s
  %(prog)s --output out/a --json
"""
CHECK_EXAMPLES: Final = """\
examples:
  %(prog)s --step control
  PUNKTUM_URL=http://127.0.0.1:8000 PUNKTUM_TOKEN_FILE=~/.punktum-token %(prog)s
"""


class Parser(argparse.ArgumentParser):
    """Usage errors speak with our prefix and leave with 2."""

    def error(self, message: str) -> NoReturn:
        talk.say(f"{message}\n{' '.join(self.format_usage().split())}")
        sys.exit(USAGE)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """An unknown command is named with the one that was likely meant."""
        if action.dest == "act" and action.choices is not None and value not in action.choices:
            from punktum.sheet import nearest

            guess = nearest(value, action.choices)
            hint = f'did you mean "{guess}"?' if guess else f"there are {', '.join(action.choices)}"
            self.error(f'command "{value}" unknown; {hint}')
        super()._check_value(action, value)


def make_parser() -> Parser:
    """The parser of everything before ``--``."""
    parser = Parser(
        prog=called(),
        description="Report training runs and verify deliverables from a rented box.",
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"punktum {punktum.__version__}")
    acts = parser.add_subparsers(
        dest="act", metavar="COMMAND", parser_class=Parser, prog=parser.prog
    )
    for name, summary, examples, fill in (
        ("run", "run a command and record its life and death", RUN_EXAMPLES, _run),
        *FILE_COMMANDS,
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
    parser.usage = "%(prog)s --step S [options] -- COMMAND …"
    add = parser.add_argument
    add("--step", required=True, metavar="S", help="step of the plan")
    proposed = "the run's id (default: proposed from the spool)"
    add("--run", type=run_id, metavar="ID", help=proposed)
    add_pairs(parser, "--param", "K=V", "a parameter of the configuration")
    add_words(parser, "--param-not-config", "K", "an argument that does not count as configuration")
    add("--config", metavar="FILE", help="config file: its bytes count")
    add_pairs(parser, "--corpus", "NAME=PATH", "a corpus: its hash counts")
    shown = "a page to link to, http:// or https://; may come again"
    add("--link", action="append", default=[], type=link, metavar="NAME=URL", help=shown)
    add("--output", metavar="DIR", help="output folder (default: the current one)")
    add("--beat", type=seconds, default=30.0, metavar="S", help="seconds between beats (30)")
    add("--grace", type=seconds, default=30.0, metavar="S", help="seconds from TERM to KILL (30)")
    add("--on-end", metavar="CMD", help="shell command run at the end, with PUNKTUM_OUTCOME set")
    add("--takeover", action="store_true", help="supersede an attempt that still seems alive")
    add("--strict", action="store_true", help="do not start what would not be recorded")
    add("--detach", action="store_true", help="leave the terminal: go on in the background")
    add("--forward-hup", action="store_true", help="pass HUP on: the job ends with the terminal")
    add_server(parser)
    add("--json", action="store_true", help="with --detach: print data as JSON")


def _restore(parser: Parser) -> None:
    add = parser.add_argument
    save = "shell command: train N steps, save in $PUNKTUM_RESTORE_FOLDER, train N further ones"
    add("--save", required=True, metavar="CMD", help=save)
    resume = "shell command: load what was saved and train the same N further steps"
    add("--resume", required=True, metavar="CMD", help=resume)
    add("--compare", required=True, metavar="NAME", help="the metric, one value for each step")
    add("--steps", type=steps, required=True, metavar="N", help="how many steps are compared")
    far = "how far values may lie apart (1e-06), above 1 as part of the larger one"
    add("--tolerance", type=tolerance, default=1e-6, metavar="X", help=far)
    add_words(parser, "--states", "NAME", "a state that is saved: optimizer, random, …")
    add("--step", metavar="S", help="step of the plan (default: that with the role restore_check)")
    add("--run", type=run_id, metavar="ID", help="the run's id (default: proposed)")
    add("--output", metavar="DIR", help="output folder (default: the current one)")
    add_server(parser)
    add_json(parser)


def _replay(parser: Parser) -> None:
    parser.add_argument("spool", metavar="SPOOL", help="spool or output folder, or one spool file")
    parser.add_argument("--step", metavar="S", help="record a run of an unknown step under this")
    under = "record the refused run under this id"
    parser.add_argument("--run", type=run_id, metavar="ID", help=under)
    add_server(parser)
    add_json(parser)


def _status(parser: Parser) -> None:
    parser.add_argument("--output", metavar="DIR", help="output folder (default: the current one)")
    add_json(parser)


def _check(parser: Parser) -> None:
    parser.add_argument("--step", metavar="S", help="step of the plan")
    parser.add_argument("--output", metavar="DIR", help="output folder (default: the current one)")
    add_server(parser)
    add_json(parser)
