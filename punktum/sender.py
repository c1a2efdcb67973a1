"""The background thread that sends: it may wait and fail, the training does not notice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from punktum.carried import Carried
from punktum.delivery import Delivery

PUT_OFF_S: Final = 5.0
"""How long the thread rests after something unforeseen."""


class Sender(threading.Thread):
    """Sends what the spool holds whenever ``wake`` is called, and retries by itself.

    ``before`` is called before each sending (it syncs the spool), ``on_step`` after each with what
    came of it.
    """

    def __init__(
        self,
        delivery: Delivery,
        before: Callable[[], None],
        on_carried: Callable[[Carried], None] | None = None,
    ) -> None:
        super().__init__(name="punktum-sender", daemon=True)
        self._delivery = delivery
        self._before = before
        self._on_carried = on_carried
        self._condition = threading.Condition()
        self._wanted = 0
        self._served = 0
        self._failures = 0
        self._hurry = False
        self._ended = False

    def wake(self) -> None:
        """Something new is in the spool."""
        with self._condition:
            self._wanted += 1
            self._condition.notify_all()

    def run(self) -> None:
        """Send until told to end."""
        while not self._ended:
            wait_s = self._send_all()
            with self._condition:
                if self._ended:
                    break
                nothing_new = self._wanted == self._served
                if wait_s is None and nothing_new:
                    self._condition.wait()
                elif wait_s is not None and not self._hurry:
                    self._condition.wait_for(lambda: self._ended or self._hurry, wait_s)
                elif wait_s is not None:
                    self._condition.wait(min(wait_s, 0.2))

    def _send_all(self) -> float | None:
        """Send until nothing is left (None) or it must wait (seconds)."""
        while not self._ended:
            with self._condition:
                wanted = self._wanted
            try:
                self._before()
                carried = self._delivery.send_next()
                if self._on_carried is not None:
                    self._on_carried(carried)
            except Exception as error:  # the thread must live: the spool keeps everything
                carried = Carried(wait_s=PUT_OFF_S, why=f"{type(error).__name__} while sending")
            with self._condition:
                if carried.idle or carried.held:
                    self._served = max(self._served, wanted)
                    self._failures = 0
                elif carried.wait_s is not None:
                    self._failures += 1
                self._condition.notify_all()
            if carried.idle or carried.held:
                return None
            if carried.wait_s is not None:
                return carried.wait_s
        return None

    def drain(self, timeout_s: float) -> bool:
        """Wait until all is sent (True), it failed twice more, or the time is over."""
        if not self.is_alive():
            return False
        ends = time.monotonic() + timeout_s
        with self._condition:
            self._wanted += 1
            wanted, failures = self._wanted, self._failures
            self._hurry = True
            self._condition.notify_all()
            while self._served < wanted and self._failures < failures + 2:
                left = ends - time.monotonic()
                if left <= 0 or not self._condition.wait(left):
                    break
            return self._served >= wanted

    def end(self) -> None:
        """Let the thread go; it is a daemon, nobody waits for a hanging connection."""
        with self._condition:
            self._ended = True
            self._condition.notify_all()
