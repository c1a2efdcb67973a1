"""Passes a child's output on and keeps its tail, in a process of its own.

It lives on when the wrapper is stopped or killed, so that the training never writes into a pipe
nobody reads; and when the terminal is gone it keeps reading, so that a ``print`` cannot end a run.
Where our own output is a terminal the child gets one too (line by line, with progress bars).
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import select
import signal
import struct
import time
from dataclasses import dataclass
from typing import Final

from punktum.events import LOG_TAIL_BYTES

_COUNT: Final = struct.Struct("<Q")
_BLOCK: Final = 1 << 16
_PIPE_BYTES: Final = 1 << 20


class Tail:
    """The last bytes of a stream in memory that parent and child processes share."""

    def __init__(self, size: int = 2 * LOG_TAIL_BYTES) -> None:
        self._size = size
        self._memory = mmap.mmap(-1, _COUNT.size + size)

    def add(self, block: bytes) -> None:
        """Append bytes; the oldest fall out."""
        (count,) = _COUNT.unpack_from(self._memory)
        block, count = block[-self._size :], count + max(0, len(block) - self._size)
        start = count % self._size
        first = block[: self._size - start]
        self._memory[_COUNT.size + start : _COUNT.size + start + len(first)] = first
        rest = block[len(first) :]
        self._memory[_COUNT.size : _COUNT.size + len(rest)] = rest
        _COUNT.pack_into(self._memory, 0, count + len(block))

    def read(self) -> bytes:
        """The bytes kept, oldest first."""
        (count,) = _COUNT.unpack_from(self._memory)
        kept = self._memory[_COUNT.size : _COUNT.size + min(count, self._size)]
        if count <= self._size:
            return bytes(kept)
        start = count % self._size
        return bytes(kept[start:] + kept[:start])


@dataclass(frozen=True, slots=True)
class Stream:
    """One output on its way: read here, given to the child, passed on to."""

    reader: int
    writer: int
    onward: int
    is_terminal: bool
    keeps_tail: bool


class Tee:
    """The process between a child's output and ours. ``stdout`` None: the child writes to ours."""

    def __init__(self, streams: list[Stream], tail: Tail, process: int) -> None:
        self._streams = streams
        self._tail = tail
        self._process = process

    @property
    def stdout(self) -> int | None:
        """Where the child's stdout goes; None: where ours goes."""
        return next((stream.writer for stream in self._streams if stream.onward == 1), None)

    @property
    def stderr(self) -> int:
        """Where the child's stderr goes."""
        return next(stream.writer for stream in self._streams if stream.onward == 2)

    def child_started(self) -> None:
        """The child has its ends; ours are closed, so that the end of the output is seen."""
        for stream in self._streams:
            os.close(stream.writer)

    def tail(self, wait_s: float = 2.0) -> bytes:
        """The last bytes of stderr, once the tee has seen the end of it, or ``wait_s`` is over."""
        _wait_for(self._process, wait_s)
        return self._tail.read()


def fill_standard_streams() -> None:
    """Where stdin, stdout or stderr is closed, open it on nothing.

    Else the next file or pipe that we open takes its number, and the command writes into that.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            os.set_inheritable(number, True)


def start_tee() -> Tee:
    """Fork the tee. To be called before any thread is started."""
    fill_standard_streams()
    streams = [_stream(2, keeps_tail=True)]
    if _is_terminal(1):
        streams.append(_stream(1, keeps_tail=False))
    tail = Tail()
    process = os.fork()
    if process == 0:
        try:
            _become_tee(streams, tail)
        finally:
            os._exit(0)
    for stream in streams:
        os.close(stream.reader)
    return Tee(streams, tail, process)


def _stream(onward: int, keeps_tail: bool) -> Stream:
    if _is_terminal(onward):
        reader, writer = _terminal_pair(onward)
        return Stream(reader, writer, onward, True, keeps_tail)
    reader, writer = os.pipe()
    _widen(writer)
    return Stream(reader, writer, onward, False, keeps_tail)


def _terminal_pair(like: int) -> tuple[int, int]:
    """A pseudo-terminal that passes bytes unchanged and has the size of the real one."""
    import fcntl
    import termios
    import tty

    reader, writer = os.openpty()
    tty.setraw(writer)
    with contextlib.suppress(OSError):
        size = fcntl.ioctl(like, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(writer, termios.TIOCSWINSZ, size)
    return reader, writer


def _widen(pipe: int) -> None:
    """Let a pipe hold more where the system can, so that a paused reader hurts later."""
    import fcntl

    command = getattr(fcntl, "F_SETPIPE_SZ", None)
    if command is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, command, _PIPE_BYTES)


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


def _become_tee(streams: list[Stream], tail: Tail) -> None:
    """The tee's whole life: read, keep, pass on, until the last writer is gone."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.setsid()
    for stream in streams:
        os.close(stream.writer)
    for unused in {0, 1, 2} - {stream.onward for stream in streams}:
        with contextlib.suppress(OSError):
            os.close(unused)
    open_streams = {stream.reader: stream for stream in streams}
    deaf: set[int] = set()
    while open_streams:
        for reader in select.select(list(open_streams), [], [])[0]:
            block = _read(reader)
            if not block:
                del open_streams[reader]
                continue
            stream = open_streams[reader]
            if stream.keeps_tail:
                tail.add(block)
            if stream.onward not in deaf and not _pass_on(stream.onward, block):
                deaf.add(stream.onward)


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, _BLOCK)
    except OSError:  # a pseudo-terminal's last writer is gone
        return b""


def _pass_on(onward: int, block: bytes) -> bool:
    """Write it all; False when nobody is there any more."""
    view = memoryview(block)
    while view:
        try:
            view = view[os.write(onward, view) :]
        except BlockingIOError:
            select.select([], [onward], [])
        except OSError as error:
            return error.errno == errno.ENOSPC
    return True


def _wait_for(process: int, wait_s: float) -> None:
    ends = time.monotonic() + wait_s
    while time.monotonic() < ends:
        try:
            done, _ = os.waitpid(process, os.WNOHANG)
        except ChildProcessError:
            return
        if done:
            return
        time.sleep(0.01)
