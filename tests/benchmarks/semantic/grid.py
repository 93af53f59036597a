"""Measure index recall and latency of every tenant size under every filter, against fixed plans on the same vectors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import number, p50, p95, say, table
from benchmarks.semantic.corpus import SHARES, Corpus, Vectors, moment, text
from benchmarks.semantic.database import COLLECTION, READER, Bench

SEARCH = """
select external_id from braid.semantic_search(%(query)s::vector, 10, %(filters)s::jsonb, collection => %(collection)s,
                                               options => %(options)s::jsonb)
"""
MODE = """
select braid.search_json(query_embedding => %(query)s::vector, match_count => 10, filters => %(filters)s::jsonb,
                         collection => %(collection)s) -> 'stats' ->> 'semantic_mode'
"""
# A fixed plan is the same search with its choice of plan overruled.
EFS = (40, 100, 200, 400)
WARM_UP = 3


class Cell(NamedTuple):
    filters: dict[str, Any] | None
    mask: Any


def cells(corpus: Corpus) -> dict[str, Cell]:
    found = {"100%": Cell(None, np.ones(corpus.size, bool))}
    for share in SHARES[1:]:
        count = max(1, round(corpus.size * share))
        if count > corpus.size * share * 1.5 + 1:
            continue
        found[f"{share:.2%} time"] = Cell(
            {"occurred_at": {"$lt": moment(count)}},
            corpus.time_ranks < count,
        )
        found[f"{share:.2%} topic"] = Cell(
            {"topic_rank": {"$lt": count}},
            corpus.topic_ranks < count,
        )
    return found


class Plan:
    """Run one plan. A slow fixed plan gets only some of the queries."""

    def __init__(self, ask: Callable[[str], list[str]]) -> None:
        self._ask = ask
        self.times: list[float] = []
        self.recalls: list[float] = []
        self.short = 0

    def run(self, query: str, wanted: set[str], count: int, most_seconds: float) -> None:
        if len(self.times) >= 5 and sum(self.times) > most_seconds * 1000:
            return
        started = time.perf_counter()
        found = self._ask(query)
        self.times.append((time.perf_counter() - started) * 1000)
        self.recalls.append(len(wanted & set(found)) / max(1, len(wanted)))
        self.short += len(found) < count

    def forget(self) -> None:
        self.times, self.recalls, self.short = [], [], 0

    @property
    def recall(self) -> float:
        return sum(self.recalls) / len(self.recalls)


def grid(bench: Bench, corpora: dict[str, Corpus], query_count: int) -> None:
    rows: list[tuple[str, list[str]]] = []
    recalls: list[float] = []
    shorts = late = 0
    for tenant, corpus in corpora.items():
        say(f"grid of {tenant}")
        for name, cell in cells(corpus).items():
            plans, modes = _measure(bench, tenant, corpus, cell, query_count)
            ours = plans.pop("pgbraid")
            # An exact plan may also seem to miss neighbours, because single precision cannot tell them apart.
            good = {plan: p95(of.times) for plan, of in plans.items() if of.recall >= 0.99 or plan == "exact"}
            fastest = min(good, key=lambda plan: good[plan])
            ratio = p95(ours.times) / good[fastest]
            recalls.append(ours.recall)
            shorts += ours.short
            late += ratio > 1.3
            rows.append(
                (
                    f"{tenant}, {name}",
                    [
                        f"{ours.recall:.3f}",
                        number(p50(ours.times)),
                        number(p95(ours.times)),
                        fastest,
                        number(good[fastest]),
                        f"{ratio:.2f}",
                        " ".join(f"{mode} {count}" for mode, count in modes.most_common(3)),
                    ],
                )
            )
            say(f"{rows[-1][0]}: {' '.join(rows[-1][1])}")
    table("recall@10 and ms", ["recall", "p50", "p95", "best plan", "its p95", "ratio", "modes"], rows)
    print(
        f"recall@10 {sum(recalls) / len(recalls):.4f} on average, {min(recalls):.4f} in the worst cell; "
        f"{shorts} answers short of rows; {late} of {len(rows)} cells above 1.3 times the fastest fixed plan\n",
        flush=True,
    )


def _measure(
    bench: Bench, tenant: str, corpus: Corpus, cell: Cell, query_count: int
) -> tuple[dict[str, Plan], Counter[str]]:
    choices: dict[str, dict[str, Any] | None] = {"pgbraid": None, "exact": {"exact": True}}
    if bench.shard(tenant):
        choices |= {f"ef {ef}": {"ef_search": ef} for ef in EFS}
    with bench.connect(READER, tenant) as reader:
        filters = None if cell.filters is None else Jsonb(cell.filters)
        arguments = {"filters": filters, "collection": COLLECTION, "options": None}
        plans = {}
        for name, options in choices.items():
            given = {**arguments, "options": None if options is None else Jsonb(options)}

            def ask(query: str, given: dict[str, Any] = given) -> list[str]:
                return [row[0] for row in reader.execute(SEARCH, {**given, "query": query}, prepare=True)]

            plans[name] = Plan(ask)
        modes: Counter[str] = Counter()
        queries: Vectors = corpus.queries(query_count + WARM_UP)
        candidates = np.flatnonzero(cell.mask)
        for place, query in enumerate(queries):
            if place == WARM_UP:
                for plan in plans.values():
                    plan.forget()
            similarity = corpus.vectors[candidates] @ query
            count = min(10, len(candidates))
            nearest = {f"d{candidates[n]}" for n in np.argpartition(-similarity, count - 1)[:count]}
            written = text(query)
            for name in plans if place % 2 else reversed(plans):
                plans[name].run(written, nearest, count, 1e9 if name == "pgbraid" else 5)
            if place % 10 == 0:
                row = reader.execute(MODE, {**arguments, "query": written}).fetchone()
                assert row is not None
                modes[row[0]] += 1
        return plans, modes
