"""A signal that comes while a process is being started waits until that one is known."""

from __future__ import annotations

import signal

import pytest

from punktum.signals import leaving_held, leaving_on_term


@pytest.mark.parametrize(
    ("number", "leaves_by"), [(signal.SIGTERM, SystemExit), (signal.SIGINT, KeyboardInterrupt)]
)
def test_it_comes_once_what_was_begun_is_done(
    number: signal.Signals, leaves_by: type[BaseException]
) -> None:
    done: list[str] = []
    with leaving_on_term(), pytest.raises(leaves_by):
        _begin(number, done)
    assert done == ["started", "ended"]


def _begin(number: signal.Signals, done: list[str]) -> None:
    try:
        with leaving_held():
            signal.raise_signal(number)
            done.append("started")
        done.append("never reached")
    finally:
        done.append("ended")


def test_without_a_signal_nothing_is_changed() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    with leaving_held():
        pass
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
