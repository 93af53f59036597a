"""Load the judged sets into a database, each as a collection."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.quality.sets import JudgedSet, read_set
from benchmarks.search import DATA
from pgbraid import embedded
from pgbraid.install import install
from support.loading import Connection

__all__ = ["SETS", "add_options", "judge", "loaded", "preset_of", "set_ranking"]

SETS = "cranfield,cisi,scifact,locomo,qmsum"


def add_options(parser: argparse.ArgumentParser, sets: str = SETS, more: str = "") -> None:
    parser.add_argument("--sets", default=sets, help=f"default: %(default)s{more}")
    parser.add_argument("--split", default="test", help="of the queries: test, train or val")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of judged collections")
    parser.add_argument("--model", help="another offline embedding model, such as bge-small; default: all-MiniLM-L6-v2")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--data-dir", type=Path, help="keep the server here, and what it has loaded")


def loaded(arguments: argparse.Namespace) -> Iterator[tuple[Connection, JudgedSet]]:
    """Yield each set in turn, in a collection of its name, on one server."""
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
            judged = read_set(arguments.data / name, arguments.split, model=arguments.model)
            _load(db, judged)
            set_ranking(db, name, {"preset": preset_of(judged)})
            yield db, judged


def preset_of(judged: JudgedSet) -> str:
    return "conversation" if judged.turns else "prose"


def _load(db: Connection, judged: JudgedSet) -> None:
    if db.execute("select from braid.collections where name = %s", (judged.name,)).fetchone():
        return
    db.execute(
        "select braid.create_collection(%s, indexed_attributes => %s)",
        (judged.name, Jsonb({key: "text" for query in judged.queries[:1] for key in query.filters or {}})),
    )
    judged.load(db)
    while not db.execute("select (braid.maintain('1 minute') ->> 'complete')::boolean").fetchall()[0][0]:
        pass


def set_ranking(db: Connection, collection: str, ranking: dict[str, Any]) -> None:
    db.execute("select braid.set_ranking(%s, %s)", (collection, Jsonb(ranking)))


def judge(db: Connection, judged: JudgedSet) -> None:
    """Store the set's queries and judgments; a judged turn is stored by its place in its conversation."""
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
