"""Write rows of the search log as searches of any time would have left them, and compute their counts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]
INSERT = """
insert into braid_store.search_log
  (tenant_id, search_id, collection_id, searched_at, login, mode, semantic_mode, query_text, match_count, result_count,
   is_first_page, external_ids, chunk_indexes, is_underfilled, warnings, ranking, configuration, sample_share,
   query_time_ms, compile_ms, legs_ms, ranking_ms, rows_ms)
select braid.current_tenant_id(), braid_store.search_id_at(%(at)s), c.id, %(at)s, 'test', %(mode)s, %(semantic_mode)s,
   %(query)s, 10, %(results)s, %(is_first_page)s, array(select 'd' || n from generate_series(1, %(results)s) n), '{}',
   %(is_underfilled)s, %(warnings)s, %(ranking)s, '{}', %(share)s, %(ms)s, 1, 2, 3, 4
from braid_store.collections c where c.name = %(collection)s
returning search_id::text
"""


@dataclass
class Logged:
    at: datetime
    collection: str = "default"
    mode: str = "full_text"
    semantic_mode: str | None = None
    query: str | None = "harbour"
    results: int = 10
    is_first_page: bool = True
    is_underfilled: bool = False
    warnings: tuple[str, ...] = ()
    ranking: str = "convex"
    share: float = 1
    ms: float = 10

    def write(self, db: Connection) -> str:
        row = db.execute(INSERT, {**self.__dict__, "warnings": list(self.warnings)}).fetchone()
        assert row is not None
        return str(row[0])


def some(rng: random.Random, times: Iterable[datetime], collections: tuple[str, ...] = ("default",)) -> list[Logged]:
    return [
        Logged(
            at,
            rng.choice(collections),
            *rng.choice([("full_text", None), ("hybrid", "hnsw"), ("hybrid", "exact")]),
            query=rng.choice(["harbour", " Harbour", "ship", None]),
            results=rng.choice([0, 1, 5, 10]),
            is_first_page=rng.random() < 0.8,
            is_underfilled=rng.random() < 0.2,
            warnings=rng.choice([(), (), ("no_query_terms",), ("did_you_mean", "query_cut")]),
            share=rng.choice([1, 0.5, 0.25]),
            ms=round(math.exp(rng.gauss(3, 1.5)), 3),
        )
        for at in times
    ]
