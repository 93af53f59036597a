"""Decide how many examples and parameters the tests try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence

_divisor = 1


def try_fewer(divisor: int) -> None:
    """Divide the number of examples on a version of PostgreSQL that repeats another version's tests."""
    global _divisor
    _divisor = divisor


def tries_fewer() -> bool:
    return _divisor > 1


def examples(count: int) -> int:
    return max(5, count // _divisor)


def rounds(count: int) -> int:
    """Return the number of rounds of a test that kills sessions: a round takes seconds, and every third kills the
    server."""
    return max(3, count // _divisor)


def trying_each_value(cases: Sequence[Collection[Hashable]]) -> set[int]:
    """Return the places of few cases that together try each value. Each case is given by its values; a value is
    preferably tried beside rarely tried values."""
    tried = Counter(dict.fromkeys((value for case in cases for value in case), 0))
    left = dict(enumerate(cases))
    chosen: set[int] = set()
    while 0 in tried.values():

        def order(place: int) -> tuple[int, int]:
            counts = [tried[value] for value in left[place]]
            return -counts.count(0), sum(counts)

        place = min(left, key=order)
        tried.update(left.pop(place))
        chosen.add(place)
    return chosen
