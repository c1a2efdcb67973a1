"""A lock on an open file that lasts as long as the process: who holds it is alive."""

from __future__ import annotations

import os
from pathlib import Path


def take_lock(descriptor: int) -> bool:
    """Take the lock of an open file without waiting; True also where locks do not exist."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def is_held(path: Path) -> bool:
    """Whether a living process holds the file's lock; False when the file is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not take_lock(descriptor)
    finally:
        os.close(descriptor)
