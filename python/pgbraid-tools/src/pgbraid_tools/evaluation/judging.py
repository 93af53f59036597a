"""Find results that a judge has not graded yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pgbraid.errors import InvalidArgumentError

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = ["GRADES", "Judging", "PooledResult", "judgment", "passage_of", "pooled_results", "query_count"]

# The grades follow the scale of TREC's Deep Learning tracks.
GRADES = {
    3: "is about just this, and answers it exactly",
    2: "has an answer, unclear or among other things",
    1: "is about something close, and does not answer it",
    0: "has nothing to do with it",
}
PAGE = 1000


@dataclass(frozen=True)
class PooledResult:
    """Hold a row of braid.pool_results: row `place` of `count` for the query, which is number `query_number` of the
    set."""

    query_id: str
    query_text: str
    external_id: str
    # chunk_index is None in a query set of documents; chunk_id is then the document's highest chunk.
    chunk_index: int | None
    chunk_id: int
    title: str | None
    content: str
    query_number: int
    place: int
    count: int


def query_count(client: Client, query_set: str) -> int:
    """Return the number of queries to judge. Raise if the set has none; other calls report a missing set."""
    counts: dict[str, int] = {found["query_set"]: found["query_count"] for found in client.list_query_sets()}
    if counts.get(query_set) == 0:
        raise InvalidArgumentError(
            f'query set "{query_set}" has no queries', hint="store queries with braid.store_queries"
        )
    return counts.get(query_set, 0)


def pooled_results(
    client: Client,
    query_set: str,
    configurations: Sequence[Mapping[str, Any]],
    *,
    depth: int,
    judge: str,
    seed: int,
) -> Iterator[PooledResult]:
    """Yield results of one query after the other; each query is searched for when it is reached."""
    after, number = None, 0
    while page := client.list_queries(query_set, match_count=PAGE, after=after):
        for query in page:
            number += 1
            rows = client.pool_results(
                query_set, configurations, depth, judge=judge, seed=seed, query_ids=[query["query_id"]]
            )
            for place, row in enumerate(rows, 1):
                yield PooledResult(**row, query_number=number, place=place, count=len(rows))
        after = page[-1]["query_id"]


def passage_of(result: PooledResult) -> str:
    """Return the part of a result that a model reads."""
    return f"{result.title}\n{result.content}" if result.title else result.content


def judgment(result: PooledResult, judge: str, grade: int | None) -> dict[str, Any]:
    """Return the judgment in the form that store_judgments takes."""
    made = {"query_id": result.query_id, "external_id": result.external_id, "judge": judge, "grade": grade}
    return made if result.chunk_index is None else made | {"chunk_index": result.chunk_index}


class Judging:
    """Give out one result after the other. Each grade is stored at once, so that nothing is lost with the session."""

    def __init__(self, client: Client, query_set: str, results: Iterator[PooledResult], judge: str) -> None:
        self._client = client
        self._query_set = query_set
        self._results = results
        self._judge = judge
        # The results shown so far, each with its grade; None if it was skipped.
        self._done: list[tuple[PooledResult, int | None]] = []
        # Results whose grade was taken back; the last of them is shown next.
        self._again: list[PooledResult] = []

    @property
    def graded(self) -> int:
        return sum(grade is not None for _, grade in self._done)

    @property
    def skipped(self) -> int:
        return len(self._done) - self.graded

    def next(self) -> PooledResult | None:
        """Return the result to grade or skip; None when there is none left."""
        if not self._again and (result := next(self._results, None)) is not None:
            self._again.append(result)
        return self._again[-1] if self._again else None

    def grade(self, grade: int) -> None:
        self._store(self._again[-1], grade)
        self._done.append((self._again.pop(), grade))

    def skip(self) -> None:
        """Skip this result; it comes again in the next session."""
        self._done.append((self._again.pop(), None))

    def undo(self) -> bool:
        """Take back the last grade, or skip; return False if this session has none."""
        if not self._done:
            return False
        result, grade = self._done[-1]
        if grade is not None:
            self._store(result, None)
        self._again.append(self._done.pop()[0])
        return True

    def _store(self, result: PooledResult, grade: int | None) -> None:
        self._client.store_judgments(self._query_set, [judgment(result, self._judge, grade)])
