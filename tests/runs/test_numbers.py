"""The numbers of a source: any order of arrival gives the same gaps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.runs.rules.numbers import Numbers


def _arrived(seqs: list[int]) -> Numbers:
    numbers = Numbers()
    for seq in seqs:
        numbers = numbers.including(seq)
    return numbers


@settings(deadline=None)
@given(st.data(), st.sets(st.integers(1, 60), min_size=1))
def test_any_order_gives_the_same(data: st.DataObject, seqs: set[int]) -> None:
    order = data.draw(st.permutations(sorted(seqs)))
    numbers = _arrived(order)
    assert numbers == _arrived(sorted(seqs))
    missing = [seq for seq in range(1, max(seqs) + 1) if seq not in seqs]
    assert numbers.missing(1000) == missing
    assert numbers.missing_count == len(missing)
    assert numbers.size == len(seqs)
    assert [seq for seq in range(1, 70) if numbers.has(seq)] == sorted(seqs)


def test_a_giant_gap_costs_nothing() -> None:
    numbers = _arrived([1, 2**62])
    assert numbers.missing(3) == [2, 3, 4]
    assert numbers.missing_count == 2**62 - 2


def test_a_number_comes_once() -> None:
    with pytest.raises(ValueError, match="came already"):
        _arrived([1, 2, 2][:2]).including(1)
