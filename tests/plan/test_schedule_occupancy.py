"""Finding the first free stretch, and sharing things out, against the plainest possible search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.plan.rules.occupancy import Occupancy, share_out

Span = tuple[int, int, int]


def meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def most_at_once(spans: list[Span], span: Span) -> int:
    """How much is taken in the fullest minute of a span."""
    return max(
        sum(count for start, end, count in spans if start <= minute < end)
        for minute in range(span[0], span[1])
    )


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.integers(0, 25), st.integers(1, 8), st.integers(1, 4)), max_size=14),
)
def test_work_is_taken_at_the_first_stretch_with_enough_free(
    total: int, wanted: list[tuple[int, int, int]]
) -> None:
    room = Occupancy(total)
    taken: list[Span] = []
    for since, minutes, count in wanted:
        count = min(count, total)
        start = room.earliest(since, minutes, count)
        free = next(
            at
            for at in range(since, 1000)
            if most_at_once(taken, (at, at + minutes, count)) + count <= total
        )
        assert start == free
        room.take(start, minutes, count)
        taken.append((start, start + minutes, count))

    for one, other in _pairs_sharing(taken, share_out(taken, total)):
        assert not meet(one, other)


@given(
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 6)), max_size=14),
)
def test_one_person_never_does_two_things_even_for_a_moment(wanted: list[tuple[int, int]]) -> None:
    room = Occupancy(1)
    taken: list[Span] = []
    for since, minutes in wanted:
        start = room.earliest(since, minutes, 1)
        free = next(
            at
            for at in range(since, 1000)
            if not any(meet((at, at + minutes, 1), other) for other in taken)
        )
        assert start == free
        room.take(start, minutes, 1)
        taken.append((start, start + minutes, 1))
    assert share_out(taken, 1) == [(0,)] * len(taken)


def _pairs_sharing(spans: list[Span], shares: list[tuple[int, ...]]) -> list[tuple[Span, Span]]:
    assert [len(share) for share in shares] == [count for _, _, count in spans]
    return [
        (spans[one], spans[other])
        for one in range(len(spans))
        for other in range(one)
        if set(shares[one]) & set(shares[other])
    ]
