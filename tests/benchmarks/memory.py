"""Measure how well searches find agents' memory, by turn and by session: `python -m benchmarks.memory` in tests/.

The sets are all of LoCoMo, and the meetings of QMSum's test split. Only searches run; no answer is made or graded.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say, table
from benchmarks.quality.measures import Values, interval
from benchmarks.quality.sets import JudgedSet, Query, read_set
from benchmarks.search import DATA
from pgbraid import embedded
from pgbraid.install import install
from support.judged import ndcg
from support.loading import Connection

# The categories have LoCoMo's numbers and MTEB's order.
CATEGORIES = {4: "single hop", 1: "multi hop", 2: "temporal", 3: "open domain", 5: "adversarial"}
DEPTHS = (5, 10)
Ranked = Callable[[Query], list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--sets", default="locomo,qmsum", help="default: %(default)s")
    parser.add_argument("--configurations", help="only those whose name has this in it")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of judged collections")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        parser.exit(1, f"the test collections are not there ({arguments.data})\n")
    with ExitStack() as stack:
        data_dir = arguments.data_dir
        if data_dir is None:
            data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        dsn = embedded.ensure_running(data_dir, arguments.postgres_version).dsn
        install(dsn)
        db = stack.enter_context(psycopg.connect(dsn, autocommit=True))
        for name in arguments.sets.split(","):
            # QMSum has 129,177 turns; only the meetings of test questions are loaded.
            keep = (lambda line: line["metadata"]["split"] == "test") if name == "qmsum" else None
            judged = read_set(arguments.data / name, "test", keep)
            load(db, judged)
            counts = len(judged.documents), len(judged.turns), len(judged.queries)
            say("{}: {:,} turns, {} sessions, {:,} queries".format(name, *counts))
            measure(db, judged, arguments.configurations or "")


def load(db: Connection, judged: JudgedSet) -> None:
    if db.execute("select from braid.collections where name = %s", (judged.name,)).fetchone() is not None:
        return
    scope = next(iter(judged.queries[0].filters or {}))
    db.execute("select braid.create_collection(%s, indexed_attributes => %s)", (judged.name, Jsonb({scope: "text"})))
    judged.load(db)
    db.execute("call braid.run_maintenance()")


# Each label has a preset of the collection, and arguments of braid.hybrid_search.
TURNS: dict[str, tuple[str, dict[str, Any]]] = {
    "vectors alone": ("prose", {"full_text_weight": 0.0}),
    "full text alone": ("prose", {"semantic_weight": 0.0}),
    "defaults": ("prose", {}),
    "preset conversation": ("conversation", {}),
}
GROUPED = {"group_by": "document"}
MIXTURE = {"group_by": {"key": "document", "score": "mixture"}}
SESSIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "full text alone": ("prose", {"semantic_weight": 0.0, "options": GROUPED}),
    "vectors alone": ("prose", {"full_text_weight": 0.0, "options": GROUPED}),
    "defaults": ("prose", {"options": GROUPED}),
    "preset conversation": ("conversation", {"options": GROUPED}),
    "preset conversation, mixture": ("conversation", {"options": MIXTURE}),
    "preset conversation, 1,000 candidates": ("conversation", {"candidate_count": 1000, "options": GROUPED}),
    "preset conversation, mixture, 1,000 candidates": (
        "conversation", {"candidate_count": 1000, "options": MIXTURE}
    ),
}  # fmt: skip


def measure(db: Connection, judged: JudgedSet, chosen: str) -> None:
    session_of = {turn: session for session, turns in judged.turns.items() for turn in turns}
    of_turns = {query.id: query.relevance for query in judged.queries}
    of_sessions = {
        query.id: {session_of[turn]: 1 for turn, grade in query.relevance.items() if grade > 0}
        for query in judged.queries
    }
    kinds = [("turns", TURNS, of_turns)]
    if judged.name == "locomo":  # a meeting of QMSum is one session
        kinds.append(("sessions", SESSIONS, of_sessions))
    for unit, configurations, relevance in kinds:
        found: dict[str, dict[str, Values]] = {}
        for label, (preset, arguments) in configurations.items():
            if chosen not in label:
                continue
            db.execute("select braid.set_ranking(%s, %s)", (judged.name, Jsonb({"preset": preset})))
            rankings = [rank(db, judged, query, arguments, unit) for query in judged.queries]
            found[label] = scores(rankings, [relevance[query.id] for query in judged.queries])
            say(f"{unit}, {label}")
        report(judged, unit, found)


def rank(db: Connection, judged: JudgedSet, query: Query, arguments: Mapping[str, Any], unit: str) -> list[str]:
    """Return the first ten turns, or the first ten sessions."""
    values = {
        "query_text": query.text,
        "query_embedding": query.embedding,
        "match_count": max(DEPTHS),
        "filters": query.filters,
        "collection": judged.name,
        **arguments,
    }
    named = ", ".join(f"{name} => %({name})s" for name in values)
    rows = db.execute(
        f"select external_id, chunk_index from braid.hybrid_search({named})".encode(),
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in values.items()},
    ).fetchall()
    return [external_id if unit == "sessions" else judged.judged_id(external_id, index) for external_id, index in rows]


def scores(rankings: Sequence[list[str]], relevance: Sequence[dict[str, int]]) -> dict[str, Values]:
    """Return values of measures by name. nDCG@10 uses graded gains and log2 discounts, as trec_eval and MTEB do.

    any@k: whether the first k contain a relevant result. all@k: whether they contain all relevant results. recall@k:
    the share of relevant results that they contain.
    """
    given: dict[str, list[float]] = {}
    for ranking, judged in zip(rankings, relevance, strict=True):
        wanted = {item for item, grade in judged.items() if grade > 0}
        given.setdefault("nDCG@10", []).append(ndcg(ranking, judged))
        for depth in DEPTHS:
            hits = len(wanted.intersection(ranking[:depth]))
            given.setdefault(f"any@{depth}", []).append(float(hits > 0))
            given.setdefault(f"all@{depth}", []).append(float(hits == len(wanted)))
            given.setdefault(f"recall@{depth}", []).append(hits / len(wanted))
    return {name: np.array(values) for name, values in given.items()}


def report(judged: JudgedSet, unit: str, found: dict[str, dict[str, Values]]) -> None:
    if not found:
        return
    rows = []
    for label, values in found.items():
        low, high = interval(values["nDCG@10"])
        cells = [f"{of.mean():.3f}" for of in values.values()]
        rows.append((label, [cells[0], f"{low:.3f}–{high:.3f}", *cells[1:]]))
    names = list(next(iter(found.values())))
    table(f"{judged.name}, {unit}", [names[0], "95 %", *names[1:]], rows)
    if judged.name != "locomo":
        return
    of_query = np.array([query.metadata["category"] for query in judged.queries])
    for name in ("nDCG@10", "recall@10"):
        table(
            f"{name} by category",
            [f"{label} ({(of_query == number).sum()})" for number, label in CATEGORIES.items()],
            [
                (label, [f"{values[name][of_query == number].mean():.3f}" for number in CATEGORIES])
                for label, values in found.items()
            ],
        )


if __name__ == "__main__":
    main()
