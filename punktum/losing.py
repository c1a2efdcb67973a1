"""What to say of events that the disk did not take: a folder that there is not is never named as
the place where they wait."""

from __future__ import annotations

from punktum import talk
from punktum.marks import keep_in_memory
from punktum.spool import SpoolWriter


def note_place(writer: SpoolWriter) -> None:
    """Where nothing can be written, the attempt's marks are kept in memory too."""
    if not writer.has_place:
        keep_in_memory(writer.path.parent, writer.identity)


def kept_in_memory(writer: SpoolWriter) -> str:
    """Why the events are in memory only."""
    where = writer.path if writer.has_place else writer.path.parent
    return f"{where} cannot be written: {writer.trouble}; events are kept in memory only"


def lost(writer: SpoolWriter) -> str:
    """What is lost with the process, and where the rest is."""
    folder = writer.path.parent
    counted = talk.count(len(writer.in_memory), "event is", "events are")
    if not writer.has_place:
        return f"{counted} lost: {folder} cannot be written"
    rest = f"; the others wait in {folder}" if writer.has_written else ""
    return f"{counted} lost: the disk took no more{rest}"
