"""If only chunks far from the query pass a filter, the nearest of them are found."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import upsert, vector
from support.nearest import maintain, set_threshold

pytestmark = pytest.mark.any_version
SIZE, DIMENSIONS, CLUSTERS = 8000, 16, 40
ARGUMENTS = "%(vector)s, 10, collection => 'far', filters => %(filters)s, options => %(options)s"
SEARCHES = {
    "semantic": f"select external_id from braid.semantic_search({ARGUMENTS})",
    "hybrid": f"select external_id from braid.hybrid_search('word', {ARGUMENTS})",
}


class Clusters:
    def __init__(self, db: psycopg.Connection[Any]) -> None:
        dice = np.random.default_rng(1)
        self.db = db
        self.centres = dice.normal(size=(CLUSTERS, DIMENSIONS))
        db.execute("select braid.create_collection('far', dimensions => %s)", (DIMENSIONS,))
        set_threshold(db, 500, DIMENSIONS)
        numbers = dice.integers(0, CLUSTERS, SIZE)
        vectors = self.centres[numbers] + 0.5 * dice.normal(size=(SIZE, DIMENSIONS))
        documents = [
            {
                "external_id": f"d{n}",
                "content": "word" if n % 9 else "other",
                "embedding": vector(vectors[n]),
                "metadata": {"cluster": int(numbers[n])},
            }
            for n in range(SIZE)
        ]
        for first in range(0, SIZE, 2000):
            upsert(db, documents[first : first + 2000], "far")
        maintain(db)

    def farthest(self, query: int, share: float) -> dict[str, Any]:
        """Return a filter that a share of the clusters pass: the clusters farthest from the query's cluster."""
        lengths = np.linalg.norm(self.centres, axis=1)
        order = np.argsort(self.centres @ self.centres[query] / lengths)
        return {"cluster": {"$in": [int(number) for number in order[: round(share * CLUSTERS)]]}}

    def found(self, kind: str, query: int, filters: dict[str, Any], **options: Any) -> list[str]:
        values = {"vector": vector(self.centres[query]), "filters": Jsonb(filters), "options": Jsonb(options)}
        return [row[0] for row in self.db.execute(SEARCHES[kind].encode(), values)]

    def recall(self, kind: str, share: float) -> float:
        shares = []
        for query in range(0, CLUSTERS, 4):
            filters = self.farthest(query, share)
            exact = self.found(kind, query, filters, exact=True)
            shares.append(len({*exact} & {*self.found(kind, query, filters)}) / 10)
        return fmean(shares)


@pytest.fixture(scope="module")
def clusters(shared_db: psycopg.Connection[Any]) -> Clusters:
    return Clusters(shared_db)


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize("share", [0.9, 0.5, 0.3])
def test_the_nearest_that_pass_are_found(clusters: Clusters, kind: str, share: float) -> None:
    assert clusters.recall(kind, share) >= 0.985


@pytest.mark.parametrize("width", [64, 200, 250, 313, 350, 400, 500, 640, 1000])
def test_whatever_the_width_of_the_index(clusters: Clusters, width: int) -> None:
    """A scan slightly wider than a cluster of 200 vectors, none of which pass, reaches the passing vectors late;
    they are found all the same."""
    columns = "ef_search", "ef_search_100", "ef_search_fused"
    measured = clusters.db.execute(f"select {', '.join(columns)} from braid_store.vector_shards").fetchone()
    assert measured is not None
    change = f"update braid_store.vector_shards set {', '.join(f'{column} = %s' for column in columns)}"
    clusters.db.execute(change.encode(), (width,) * 3)
    try:
        assert clusters.recall("semantic", 0.9) >= 0.985
    finally:
        clusters.db.execute(change.encode(), measured)
