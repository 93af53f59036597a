"""How many examples the tests with made-up input try."""

from __future__ import annotations

_divisor = 1


def try_fewer() -> None:
    """For a version of PostgreSQL on which the same examples would be tried a second time."""
    global _divisor
    _divisor = 4


def examples(count: int) -> int:
    return max(5, count // _divisor)


def rounds(count: int) -> int:
    """Of a test that kills again and again: a round takes seconds, and of three one kills the server."""
    return max(3, count // _divisor)
