"""How much the tests of many examples and of many parameters try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence

_divisor = 1


def try_fewer(divisor: int) -> None:
    """For a version of PostgreSQL on which the same examples would be tried a second time."""
    global _divisor
    _divisor = divisor


def tries_fewer() -> bool:
    return _divisor > 1


def examples(count: int) -> int:
    return max(5, count // _divisor)


def rounds(count: int) -> int:
    """Of a test that kills again and again: a round takes seconds, and of three one kills the server."""
    return max(3, count // _divisor)


def trying_each_value(cases: Sequence[Collection[Hashable]]) -> set[int]:
    """Of a test's cases, given by their values, the places of as few as try each value. A value is tried beside those
    that were tried less often."""
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
