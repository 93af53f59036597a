"""Collapse, group, diversify and merge the rows of a search into passages, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """Hold a row of a search without options, with its stored vector."""

    external_id: str
    chunk_index: int
    score: float
    content: str = ""
    vector: tuple[float, ...] | None = None
    attributes: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass
class Group:
    score: float
    rows: list[Row]


def cosine(one: Row, other: Row) -> float | None:
    if one.vector is None or other.vector is None:
        return None
    product = sum(a * b for a, b in zip(one.vector, other.vector, strict=True))
    return product / math.sqrt(sum(a * a for a in one.vector) * sum(b * b for b in other.vector))


def collapse(rows: Sequence[Row], similarity: float | None = None) -> list[Row]:
    texts: set[str] = set()
    distinct = []
    for row in rows:
        if row.content not in texts:
            texts.add(row.content)
            distinct.append(row)
    if similarity is None:
        return distinct
    kept: list[Row] = []
    for row in distinct:
        likenesses = [likeness for better in kept if (likeness := cosine(row, better)) is not None]
        if not any(likeness >= similarity for likeness in likenesses):
            kept.append(row)
    return kept


def group(rows: Sequence[Row], key: Callable[[Row], Hashable], size: int = 1, score: str = "max") -> list[Group]:
    """Group rows by a key. A row with the key None is a group of its own."""
    members: dict[Hashable, list[Row]] = {}
    for number, row in enumerate(rows):
        value = key(row)
        members.setdefault(("alone", number) if value is None else ("group", value), []).append(row)
    groups = []
    for found in members.values():
        best = found[:size]
        scores = [row.score for row in best]
        every = [row.score for row in found]
        mean = min(max(math.fsum(every) / len(every), min(every)), max(every))
        total = {
            "max": max(scores),
            "sum": math.fsum(scores),
            "mean": math.fsum(scores) / len(scores),
            "mixture": mean + 0.6 * (max(scores) - mean),
        }[score]
        groups.append(Group(total, best))
    # Python's sort keeps tied groups in the order of their best rows.
    return sorted(groups, key=lambda found: -found.score)


def diversify(rows: Sequence[Row], lambda_: float, count: int) -> list[Row]:
    if not rows:
        return []
    least, most = min(row.score for row in rows), max(row.score for row in rows)
    left, picked = list(rows), list[Row]()
    while left and len(picked) < count:

        def marginal(row: Row) -> float:
            relevance = (row.score - least) / (most - least) if most > least else 1.0
            likenesses = [likeness for other in picked if (likeness := cosine(row, other)) is not None]
            return lambda_ * relevance - (1 - lambda_) * max(likenesses, default=0.0)

        best = max(left, key=lambda row: (round(marginal(row), 9), -left.index(row)))
        left.remove(best)
        picked.append(best)
    return picked


def merge(
    rows: Sequence[Row], before: int, after: int, count: int, length: Callable[[str], int]
) -> list[tuple[Row, set[int]]]:
    """Return the best rows and their passages' chunk_indexes, added one by one until there are `count` passages."""
    passages: list[tuple[Row, set[int]]] = []
    for row in rows:
        if len(passages) == count:
            break
        around = set(range(row.chunk_index - before, row.chunk_index + after + 1))
        beside = {index + step for index in around for step in (-1, 0, 1)}
        touched = [p for p in passages if p[0].external_id == row.external_id and p[1] & beside]
        if not touched:
            passages.append((row, around))
            continue
        for other in touched:
            touched[0][1].update(other[1])
        touched[0][1].update(around)
        passages = [p for p in passages if not any(p is other for other in touched[1:])]
    return [(row, indexes & set(range(length(row.external_id)))) for row, indexes in passages]
