"""One server for one data folder: a lock that the operating system drops with the process."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType


class FolderInUse(RuntimeError):
    """Another process serves this folder; `address` says where."""

    def __init__(self, folder: Path, address: str) -> None:
        super().__init__(f"{folder} is in use by the server at {address or 'an unknown address'}")
        self.folder = folder
        self.address = address


class FolderLock:
    """Held for as long as the process serves; a crash releases it by itself."""

    def __init__(self, folder: Path, address: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(
            folder / "punktum.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 200, 0).decode("utf-8", "replace").strip()
            os.close(self._descriptor)
            raise FolderInUse(folder, holder) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{address}\n".encode(), 0)

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def release(self) -> None:
        """Give the folder free."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1
