"""Prints what models that are learned from judgments gain on queries that they have not seen, on the judged sets."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say
from benchmarks.quality.__main__ import SETS, _load, _set_ranking
from benchmarks.quality.sets import JudgedSet, read_set
from benchmarks.search import DATA
from pgbraid import embedded
from pgbraid.install import install
from pgbraid.learning import learn
from support.loading import Connection

PAGE = 50


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.learning", description=__doc__)
    parser.add_argument("--sets", default=SETS, help="default: %(default)s")
    parser.add_argument("--split", default="test", help="of the queries: test, train or val")
    parser.add_argument("--kinds", default="linear,trees", help="default: %(default)s")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of judged collections")
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        data_dir = arguments.data_dir
        if data_dir is None:
            data_dir = Path(tempfile.mkdtemp(prefix="pgbraid-bench-"))
            stack.callback(shutil.rmtree, data_dir)
        stack.callback(embedded.stop, data_dir)
        dsn = embedded.ensure_running(data_dir, embedded.DEFAULT_VERSION).dsn
        install(dsn)
        db = stack.enter_context(psycopg.connect(dsn, autocommit=True))
        for name in arguments.sets.split(","):
            judged = read_set(arguments.data / name, arguments.split)
            _load(db, judged)
            _set_ranking(db, name, preset="conversation" if judged.turns else "prose")
            _judge(db, judged)
            rows = _rows(db, name)
            for kind in arguments.kinds.split(","):
                found = learn(rows, kind=kind, of_chunks=bool(judged.turns))
                low, high = found.interval
                say(
                    f"{name} {kind}: {found.query_count} queries, nDCG@10 {found.baseline:.4f} -> {found.learned:.4f},"
                    f" {found.gain:+.4f} ({low:+.4f} to {high:+.4f}), {found.wins} better, {found.losses} worse"
                )


def _judge(db: Connection, judged: JudgedSet) -> None:
    """The set's queries and judgments; those of turns by the place of the turn in its conversation."""
    places = {turn: (document, place) for document, ids in judged.turns.items() for place, turn in enumerate(ids)}
    db.execute("select braid.drop_query_set(%s)", (judged.name,))
    db.execute("select braid.create_query_set(%s, %s)", (judged.name, "chunk" if judged.turns else "document"))
    queries: list[dict[str, Any]] = []
    judgments: list[dict[str, Any]] = []
    for query in judged.queries:
        embedding = [float(number) for number in query.embedding[1:-1].split(",")]
        queries.append({"query_id": query.id, "text": query.text, "filters": query.filters, "embedding": embedding})
        for document, grade in query.relevance.items():
            judgment: dict[str, Any] = {"query_id": query.id, "external_id": document, "grade": grade}
            if judged.turns:
                judgment["external_id"], judgment["chunk_index"] = places[document]
            judgments.append(judgment)
    db.execute("select braid.store_queries(%s, %s, %s)", (judged.name, Jsonb(queries), judged.name))
    db.execute("select braid.store_judgments(%s, %s)", (judged.name, Jsonb(judgments)))


def _rows(db: Connection, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    after = None
    while True:
        page = db.execute(
            "select to_jsonb(braid.ranking_features(%s, %s, after => %s, query_count => %s))",
            (name, Jsonb({"collection": name}), after, PAGE),
        ).fetchall()
        if not page:
            return rows
        rows += [row for (row,) in page]
        after = rows[-1]["query_id"]


if __name__ == "__main__":
    main()
