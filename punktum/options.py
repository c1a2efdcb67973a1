"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import math

from punktum.events import RUN_ID
from punktum.links import is_address


def add_words(parser: argparse.ArgumentParser, name: str, metavar: str, text: str) -> None:
    """A text that may come again."""
    again = f"{text}; may come again"
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=again)


def add_pairs(parser: argparse.ArgumentParser, name: str, metavar: str, text: str) -> None:
    """``NAME=VALUE`` that may come again."""
    again = f"{text}; may come again"
    parser.add_argument(name, action="append", default=[], type=pair, metavar=metavar, help=again)


def add_server(parser: argparse.ArgumentParser) -> None:
    """Where the server is, and the token's file."""
    parser.add_argument("--url", help="address of the server (default: PUNKTUM_URL)")
    parser.add_argument(
        "--token-file", metavar="FILE", help="file with the job token (default: PUNKTUM_TOKEN_FILE)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Data as JSON."""
    parser.add_argument("--json", action="store_true", help="print data as JSON")


def pair(text: str) -> tuple[str, str]:
    """``NAME=VALUE`` as two texts."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def link(text: str) -> tuple[str, str]:
    """``NAME=URL`` as two texts."""
    name, address = pair(text)
    if not is_address(address):
        raise argparse.ArgumentTypeError(
            f"{address!r} is no address that begins with http:// or https://"
        )
    return name, address


def run_id(text: str) -> str:
    """A run's id as it is."""
    if not RUN_ID.match(text):
        raise argparse.ArgumentTypeError(
            f"{text!r}: letters, digits, '.', '_' and '-', 64 at most, a letter or digit first"
        )
    return text


def steps(text: str) -> int:
    """A number of steps from 1 on."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 10**6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of steps from 1 on")
    return int(text)


def tolerance(text: str) -> float:
    """A finite number from 0 on."""
    try:
        tolerance = float(text)
    except ValueError:
        tolerance = -1.0
    if not 0 <= tolerance < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return tolerance


def seconds(text: str) -> float:
    """Seconds of up to a day."""
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 86400 seconds")
    return seconds
