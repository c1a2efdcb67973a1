"""`ssh` and `scp` as far as the page Connect prints them, for machines that have neither."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

import asyncssh


def main(words: Sequence[str]) -> int:
    """`ssh …` or `scp …`; the exit code."""
    program, *rest = words
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("-o", action="append", default=[])
    parser.add_argument("-i")
    if program == "scp":
        parser.add_argument("-r", action="store_true")
        parser.add_argument("source")
        parser.add_argument("target")
        return asyncio.run(_copy(parser.parse_args(rest)))
    parser.add_argument("-N", action="store_true")
    parser.add_argument("-R")
    parser.add_argument("box")
    parser.add_argument("command", nargs="*")
    return asyncio.run(_ssh(parser.parse_args(rest)))


async def _connect(box: str, chosen: argparse.Namespace) -> asyncssh.SSHClientConnection:
    options = dict(option.split("=", 1) for option in chosen.o)
    user, _, host = box.rpartition("@")
    return await asyncssh.connect(
        host,
        int(options.get("Port", 22)),
        username=user,
        client_keys=[chosen.i],
        known_hosts=None,
        config=None,
    )


async def _ssh(chosen: argparse.Namespace) -> int:
    connection = await _connect(chosen.box, chosen)
    if chosen.R is not None:
        port, host, to = chosen.R.split(":")
        await connection.forward_remote_port("localhost", int(port), host, int(to))
    if chosen.N:
        await connection.wait_closed()
        return 255
    done = await connection.run(" ".join(chosen.command), encoding=None)
    connection.close()
    for stream, said in ((sys.stdout, done.stdout), (sys.stderr, done.stderr)):
        assert isinstance(said, bytes)
        stream.buffer.write(said)
    return done.exit_status or 0


async def _copy(chosen: argparse.Namespace) -> int:
    box, _, path = chosen.target.partition(":")
    async with await _connect(box, chosen) as connection:
        await asyncssh.scp(chosen.source, (connection, path or "."), recurse=chosen.r)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
