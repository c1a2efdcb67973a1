"""Arguments of the commands about an output folder: ``init``, ``verify``, ``pull``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from punktum.options import add_json, add_server, add_words

INIT_EXAMPLES: Final = """\
examples:
  %(prog)s out
  %(prog)s out --campaign campaign.toml

README.md says what is expected where; "punktum run --output DIR" fills in what it knows. What a
person wrote is never changed; run it again whenever the plan has changed.
"""
VERIFY_EXAMPLES: Final = """\
examples:
  %(prog)s out --deliverable predictions --run control-01
  %(prog)s out --all --campaign campaign.toml
  %(prog)s home --all --retrieved        # at home: the files of MANIFEST.json arrived

DIR/ID is looked at where it is a folder, else DIR. The evidence is kept in the spool and posted.
"""
PULL_EXAMPLES: Final = """\
examples:
  %(prog)s root@203.0.113.7:/workspace/out home
  %(prog)s --ssh 'ssh -p 40022' root@203.0.113.7:out home
  %(prog)s root@203.0.113.7:out home --skip 'checkpoints/step-*'

Essential deliverables come first. Where it broke off, the same line goes on. Needs rsync 3.1 on
both machines. Exit codes: those of verify; 1 where something did not arrive.
"""


def _init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the output folder; made where it is not")
    parser.add_argument("--campaign", metavar="FILE", help="campaign file to take the plan from")
    add_server(parser)
    add_json(parser)


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the output folder")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--deliverable", metavar="D", help="the deliverable's id")
    which.add_argument("--all", action="store_true", help="every announced deliverable")
    add = parser.add_argument
    add("--campaign", metavar="FILE", help="campaign file to take the checks from")
    add_words(parser, "--run", "ID", "a run that made the files (default: PUNKTUM_RUN_ID)")
    add_words(parser, "--files", "GLOB", "only these files")
    add("--no-wait", action="store_true", help="leave commands out while a run goes on here")
    arrived = "prove on another machine that the files arrived: equal hashes"
    add("--retrieved", action="store_true", help=arrived)
    add("--reload", action="store_true", help="with --retrieved: load them here as well")
    add_server(parser)
    add_json(parser)


def _pull(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("source", metavar="USER@HOST:DIR", help="the output folder on the rented machine")
    add("folder", metavar="HOME", help="a folder here; made where it is not")
    add("--ssh", metavar="CMD", help="how to reach it, such as 'ssh -p 40022' (rsync's -e)")
    add_words(parser, "--skip", "PATTERN", "files that stay there")
    add("--tries", type=_tries, default=5, metavar="N", help="tries without any progress (5)")
    add("--reload", action="store_true", help="load what arrived here as well")
    add_server(parser)
    add_json(parser)


def _tries(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tries from 1 on")
    return int(text)


Fill = Callable[[argparse.ArgumentParser], None]
FILE_COMMANDS: Final[tuple[tuple[str, str, str, Fill], ...]] = (
    ("init", "lay out the output folder before the training", INIT_EXAMPLES, _init),
    ("verify", "check a deliverable's files and post the evidence", VERIFY_EXAMPLES, _verify),
    ("pull", "fetch an output folder over rsync and prove it arrived", PULL_EXAMPLES, _pull),
)
"""Name, summary, examples and options of each."""
