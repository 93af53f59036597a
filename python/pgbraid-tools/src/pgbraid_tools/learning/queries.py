"""Read the candidates of judged queries into arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgbraid.errors import InvalidArgumentError

__all__ = ["Floats", "JudgedQuery", "ndcg", "read_queries"]

Floats = NDArray[np.float64]
DEPTH = 10


@dataclass(frozen=True)
class JudgedQuery:
    """Hold a query and its candidates in their order without a model. `units` are the judged items: documents or
    chunks. `ideal` are all grades above 0, highest first."""

    query_id: str
    features: Floats
    grades: NDArray[np.int64]
    units: list[tuple[str, int | None]]
    ideal: list[int]

    @property
    def teaches(self) -> bool:
        """Return whether some candidates have better grades than others."""
        return bool((self.grades > 0).any() and (self.grades <= 0).any())


def read_queries(rows: Iterable[Mapping[str, Any]], names: Sequence[str], *, of_chunks: bool) -> list[JudgedQuery]:
    """Read the rows of `client.ranking_features` into queries, in order."""
    return [
        _read(query_id, list(found), names, of_chunks) for query_id, found in groupby(rows, lambda row: row["query_id"])
    ]


def _read(query_id: str, rows: list[Mapping[str, Any]], names: Sequence[str], of_chunks: bool) -> JudgedQuery:
    judged: dict[tuple[str, int | None], int] = {}
    for row in rows:
        if row["grade"] is not None and row["grade"] > 0:
            judged[_unit(row, of_chunks)] = row["grade"]
    found = [row for row in rows if row["features"] is not None]
    features = np.array([[row["features"][name] for name in names] for row in found], dtype=np.float64)
    if not np.isfinite(features).all():
        raise InvalidArgumentError(f"a feature of query {query_id!r} is no finite number")
    return JudgedQuery(
        query_id,
        features.reshape(len(found), len(names)),
        np.array([max(row["grade"] or 0, 0) for row in found], dtype=np.int64),
        [_unit(row, of_chunks) for row in found],
        sorted(judged.values(), reverse=True),
    )


def _unit(row: Mapping[str, Any], of_chunks: bool) -> tuple[str, int | None]:
    return row["external_id"], row["chunk_index"] if of_chunks else None


def ndcg(query: JudgedQuery, scores: Floats | None) -> float:
    """Return nDCG@10 as braid.evaluate computes it, for the order by `scores`; None keeps the order without a model."""
    order: Iterable[int] = range(len(query.units))
    if scores is not None:
        order = np.argsort(-scores, kind="stable").tolist()
    seen: set[tuple[str, int | None]] = set()
    gain = 0.0
    for place in order:
        if query.units[place] not in seen:
            seen.add(query.units[place])
            gain += float(query.grades[place]) / float(np.log2(len(seen) + 1))
            if len(seen) == DEPTH:
                break
    ideal = sum(grade / float(np.log2(rank + 2)) for rank, grade in enumerate(query.ideal[:DEPTH]))
    return gain / ideal if ideal else 0.0
