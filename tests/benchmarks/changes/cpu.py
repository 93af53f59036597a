"""Measure the CPU of both sides' sessions in turns: on a busy machine only the ratio of two neighbouring turns is
valid."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.changes.content import ENGLISH, document, embed
from benchmarks.changes.databases import Side, member
from support.nearest import maintain, set_threshold

Connection = psycopg.Connection[Any]
# Short turns make the machine's other load more equal.
BATCH = 0.1
WRITTEN = 1000
SEARCH = "select * from braid.hybrid_search(%s, %s::vector, collection => %s, filters => %s)"
PLAIN: tuple[str, Jsonb | None] = ("plain", None)
# Each kind of search has a collection and a filter.
KINDS = {
    "plain hybrid": PLAIN,
    "filtered hybrid": ("plain", Jsonb({"speaker": "Ana", "importance": {"$gte": 2}})),
    "hybrid with parts": ("articles", None),
}
Batch = Callable[[], dict[str, float]]


def compare_cpu(old: Side, new: Side, batches: int) -> None:
    """Print medians of both sides, the median ratio of neighbours, and the interquartile range of the ratios."""
    print(f"{'CPU in ms':24} {'old':>9} {'new':>9} {'ratio':>7}   half of the ratios")
    # Two processes of the same code differ by up to 3 % because of their memory layout, so sessions are reopened often.
    measured: list[tuple[Callable[[Side, ExitStack], Batch], int, int]]
    measured = [(partial(_searches, kind), batches, 4) for kind in KINDS]
    measured += [(_first, batches, 4), (_writes, 1, batches)]
    for make, sessions, turns in measured:
        pairs: list[list[dict[str, float]]] = []
        for session in range(sessions):
            with ExitStack() as stack:
                sides = [make(side, stack) for side in (old, new)]
                for turn in range(turns):
                    order = (0, 1) if (session + turn) % 2 == 0 else (1, 0)
                    taken = {place: sides[place]() for place in order}
                    pairs.append([taken[0], taken[1]])
        for name in pairs[0][0]:
            ratios = [after[name] / before[name] for before, after in pairs]
            lower, _, upper = quantiles(ratios, n=4)
            before, after = (median(pair[place][name] for pair in pairs) for place in (0, 1))
            print(
                f"{name:24} {before:9.3f} {after:9.3f} {median(ratios):7.3f}   {lower:.3f} to {upper:.3f}", flush=True
            )


def _queries() -> list[tuple[str, str]]:
    rng = random.Random(1)
    texts = [" ".join(rng.sample(ENGLISH, count)) for count in (2, 3, 5, 8) for _ in range(5)]
    return [(text, str(embed(text, 64))) for text in texts]


def _searches(kind: str, side: Side, stack: ExitStack) -> Batch:
    """Return a batch of searches in a session that has run searches before."""
    db, queries = stack.enter_context(side.connect(member("acme"))), _queries()
    for text, vector in queries[:8]:
        db.execute(SEARCH, (text, vector, *KINDS[kind])).fetchall()

    def batch() -> dict[str, float]:
        begun, count = cpu_seconds(db), 0
        while (spent := cpu_seconds(db) - begun) < BATCH or count % len(queries):
            db.execute(SEARCH, (*queries[count % len(queries)], *KINDS[kind])).fetchall()
            count += 1
        return {kind: spent * 1000 / count}

    return batch


def _first(side: Side, _: ExitStack) -> Batch:
    """Return a batch that opens a session for one search, to measure all costs of the session."""
    queries = _queries()

    def batch() -> dict[str, float]:
        spent, count = 0.0, 0
        while spent < BATCH:
            with side.connect(member("acme")) as db:
                db.execute(SEARCH, (*queries[count % len(queries)], *PLAIN)).fetchall()
                spent += cpu_seconds(db)
            count += 1
        return {"first of a session": spent * 1000 / count}

    return batch


def _writes(side: Side, stack: ExitStack) -> Batch:
    """Return a batch of new documents and the maintenance after them; each batch first removes the earlier batch's
    rows."""
    writer, keeper = stack.enter_context(side.connect(member("beta"))), stack.enter_context(side.connect())
    # pgvector would build a graph of vectors, which would hide all other costs.
    set_threshold(keeper, 20_000, 64)
    documents = [document("articles", number, "beta", 3) | {"external_id": f"w{number}"} for number in range(WRITTEN)]
    for number, made in enumerate(documents):
        made["embedding"] = embed(f"{number % 50} {number}", 64)

    def batch() -> dict[str, float]:
        writer.execute("select braid.clear_collection('articles')")
        maintain(keeper)
        keeper.execute("vacuum analyze")
        begun = cpu_seconds(writer)
        writer.execute("select braid.upsert_documents(%s, 'articles')", (Jsonb(documents),)).fetchall()
        written = cpu_seconds(writer) - begun
        begun = cpu_seconds(keeper)
        maintain(keeper)
        maintained = cpu_seconds(keeper) - begun
        return {f"upsert of {WRITTEN:,}": written * 1000, "maintain": maintained * 1000}

    return batch


def cpu_seconds(db: Connection) -> float:
    """Return the processor time of the session's process in seconds, to the nanosecond."""
    return int(Path(f"/proc/{db.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9
