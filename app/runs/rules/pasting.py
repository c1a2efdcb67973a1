"""The blocks of shell that the page Connect shows: the three ways from a job to this server.

Each block is pasted whole into bash or zsh. It is one `{ … }`, so that the shell has read all of
it before the token is asked for; the token is typed, never part of a line, and lies in a file of
its owner alone. What fails ends the block there, not the shell.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

TOKEN_FILE: Final = "~/.punktum-token"
JOB: Final = "python3 train.py"
"""Stands for the command of the reader's own."""
_BOX: Final = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_KEY: Final = re.compile(r"[A-Za-z0-9_~/.][A-Za-z0-9_~/.-]*\Z")


class Way(StrEnum):
    """How the machine that trains reaches this server."""

    HERE = "here"
    TUNNEL = "tunnel"
    OFFLINE = "offline"


class Place(StrEnum):
    """Where a block is pasted."""

    HERE = "here"
    BOX = "box"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines to paste, where, and what they do (`all`, `tunnel`, `take`, `run`, `bring`)."""

    place: Place
    does: str
    text: str


@dataclass(frozen=True, slots=True)
class Box:
    """A rented machine as ssh and scp name it; `options` are good for both."""

    name: str = "USER@BOX"
    options: str = ""

    @property
    def is_named(self) -> bool:
        """Whether somebody said which one."""
        return self.name != "USER@BOX"

    def by(self, command: str) -> str:
        """`ssh` or `scp` with the options of this machine."""
        return f"{command} {self.options}".strip()


@dataclass(frozen=True, slots=True)
class Told:
    """What the blocks are made of; `jobs_port` None: the server has no port for jobs. `host`:
    where it listens on its own machine."""

    campaign: str
    step: str
    url: str
    jobs_port: int | None
    sha256: str
    box: Box = Box()
    host: str = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Lines:
    """The same one by one, for those who have the client already or none at all."""

    token_file: str
    settings: str
    wrapper: str
    python: str
    shell: str


def read_box(said: str) -> Box | None:
    """A machine from what people copy from their provider: `root@203.0.113.7`, `ssh -p 40022
    root@203.0.113.7 -i ~/.ssh/key`; None where it is something else."""
    words = said.split()
    if words[:1] == ["ssh"]:
        words = words[1:]
    name, options = "", []
    while words:
        word = words.pop(0)
        if word == "-p" and words and words[0].isascii() and words[0].isdigit():
            options.append(f"-o Port={int(words.pop(0))}")
        elif word == "-i" and words and _KEY.match(words[0]):
            options.append(f"-i {words.pop(0)}")
        elif not name and _BOX.match(word):
            name = word
        else:
            return None
    return Box(name, " ".join(options)) if name else None


def blocks(way: Way, told: Told) -> tuple[Block, ...]:
    """The blocks of a way, in the order in which they are pasted; none for a tunnel to a port
    that is not there."""
    if way is Way.HERE:
        return (Block(Place.HERE, "all", _here(told)),)
    if way is Way.OFFLINE:
        return (
            Block(Place.HERE, "take", _take(told)),
            Block(Place.BOX, "run", _run_alone(told)),
            Block(Place.HERE, "bring", _bring(told)),
        )
    if told.jobs_port is None:
        return ()
    line = told.box.by("ssh -N -o ExitOnForwardFailure=yes -o ServerAliveInterval=30")
    port, host = told.jobs_port, f"[{told.host}]" if ":" in told.host else told.host
    return (
        Block(Place.HERE, "tunnel", f"{line} -R {port}:{host}:{port} {told.box.name}"),
        Block(Place.BOX, "all", _box(told, port)),
    )


def token_lines() -> str:
    """Ask for the token, unseen, and keep it for its owner alone; Enter keeps what is there."""
    return (
        f"(umask 077; touch {TOKEN_FILE}; chmod 600 {TOKEN_FILE})\n"
        "printf 'Job token (Enter keeps the one that is there): '; IFS= read -rs token; echo\n"
        f'[ -z "$token" ] || printf \'%s\\n\' "$token" > {TOKEN_FILE}; unset token'
    )


def settings_lines(url: str) -> str:
    """Where a job reports to, for the shell that starts it."""
    return (
        f'export PUNKTUM_URL={shlex.quote(url)}\nexport PUNKTUM_TOKEN_FILE="$HOME/.punktum-token"'
    )


def reached(way: Way, told: Told) -> str | None:
    """The address under which the job finds this server; None where it finds none."""
    if way is Way.HERE:
        return told.url
    return f"http://127.0.0.1:{told.jobs_port}" if way is Way.TUNNEL and told.jobs_port else None


def lines(url: str | None, step: str, next_run: str) -> Lines | None:
    """The lines one by one; the token goes into a file of its owner alone, typed by nobody. None
    where the job does not reach this server.

    A shell has nobody who would go on under another id: its lines name one that is free.
    """
    if url is None:
        return None
    auth = f'-H "Authorization: Bearer $(cat {TOKEN_FILE})"'
    post = f"curl -fsS -m 10 --retry 5 {auth}"
    run = f"{url}/api/v1/runs/{next_run}"
    return Lines(
        token_file=f"(umask 077; cat > {TOKEN_FILE})",
        settings=settings_lines(url),
        wrapper=f"punktum check --step {step}\npunktum run --step {step} -- python train.py",
        python=(
            "import punktum\n\n"
            f'with punktum.run("{step}") as run:\n'
            "    for n, batch in enumerate(batches, start=1):\n"
            "        loss = train(batch)\n"
            '        run.metric("loss", loss)\n'
            "        run.progress(n, len(batches))"
        ),
        shell=(
            f"hash=$(sha256sum train.py | cut -d' ' -f1)\n"
            f"{post} \\\n  -d step={step} -d config_sha256=$hash {run}/start\n"
            "python train.py > train.log 2>&1; code=$?\n"
            f"tail -c 10k train.log | {post} \\\n  --data-binary @- {run}/exit/$code"
        ),
    )


def _here(told: Told) -> str:
    fetch = "curl -fsS --noproxy '*' -o punktum.py \"$PUNKTUM_URL/punktum.py\""
    last = _chain(fetch, _checked(told, "punktum.py"), *_check_and_run(told, "punktum.py"))
    return _block(token_lines(), settings_lines(told.url), last)


def _box(told: Told, port: int) -> str:
    """The file comes with the token, which no list of processes shows."""
    fetch = (
        f'printf \'header = "Authorization: Bearer %s"\\n\' "$(cat {TOKEN_FILE})" |\n'
        "  curl -fsS --noproxy '*' -K - -o punktum.py \"$PUNKTUM_URL/punktum.py\""
    )
    last = _chain(fetch, _checked(told, "punktum.py"), *_check_and_run(told, "punktum.py"))
    return _block(token_lines(), settings_lines(f"http://127.0.0.1:{port}"), last)


def _take(told: Told) -> str:
    """Client and sheet in a folder of the campaign's own, and the folder to the box."""
    folder, spool = _folder(told), f"{_folder(told)}/spool"
    file = f"{folder}/punktum.py"
    last = _chain(
        f"mkdir -p {spool}",
        f"curl -fsS --noproxy '*' -o {file} \"$PUNKTUM_URL/punktum.py\"",
        _checked(told, file),
        f"PUNKTUM_SPOOL={spool} python3 {file} check --step {shlex.quote(told.step)}",
        f"{told.box.by('scp -r')} {folder} {told.box.name}:",
    )
    return _block(token_lines(), settings_lines(told.url), last)


def _run_alone(told: Told) -> str:
    folder = _folder(told)
    spool = f'unset PUNKTUM_URL; export PUNKTUM_SPOOL="$HOME/{folder}/spool"'
    return _block(spool, _chain(*_check_and_run(told, f"~/{folder}/punktum.py")))


def _bring(told: Told) -> str:
    folder = _folder(told)
    last = _chain(
        f"{told.box.by('ssh')} {told.box.name} 'tar cz {folder}/spool' > {folder}.tar.gz",
        f"tar xzf {folder}.tar.gz",
        f"python3 {folder}/punktum.py replay {folder}/spool",
    )
    return _block(settings_lines(told.url), last)


def _folder(told: Told) -> str:
    return f"punktum-{told.campaign}"


def _checked(told: Told, file: str) -> str:
    return f"echo '{told.sha256}  {file}' | sha256sum -c -"


def _check_and_run(told: Told, file: str) -> tuple[str, str]:
    step = shlex.quote(told.step)
    return (
        f"python3 {file} check --step {step}",
        f"python3 {file} run --step {step} -- {JOB}",
    )


def _chain(*commands: str) -> str:
    """Each only where the one before it went well."""
    return " &&\n".join(commands)


def _block(*parts: str) -> str:
    """One compound command: a shell reads it whole before it runs its first line."""
    lines = "\n".join(parts).splitlines()
    return "\n".join(["{", *[f"  {line}" for line in lines], "}"])
