"""Print where the time of searches and writes goes, by function and by statement: `python -m benchmarks.profile` in
tests/."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

import pgbraid
from benchmarks.changes.cpu import cpu_seconds
from benchmarks.full_text.corpus import Synthetic
from benchmarks.loading import documents
from benchmarks.peers.corpora import LETTERS, store
from benchmarks.peers.engine import Place
from benchmarks.peers.engines.pgbraid_search import COLLECTION, READER, TENANT, Pgbraid
from benchmarks.profile import Connection, Part, Profile, average, install_profiler, read_profile, start_profile
from benchmarks.semantic.corpus import Corpus, text
from pgbraid import embedded
from support import make_fast, temporary_folder

HYBRID = "select * from braid.hybrid_search(%(text)s, %(vector)s::vector, collection => %(collection)s"
SEARCHES = {
    "hybrid": f"{HYBRID})",
    "semantic": "select * from braid.semantic_search(%(vector)s::vector, collection => %(collection)s)",
    "full text": "select * from braid.full_text_search(%(text)s, collection => %(collection)s)",
    "filtered: a third passes": f"{HYBRID}, filters => %(third)s)",
    "filtered: 1 % passes": f"{HYBRID}, filters => %(percent)s)",
}
FIRST = "first of a session"
WRITES = {"add_documents by 1": 1, "add_documents by 10": 10, "add_documents by 1000": 1000}
# Each kind of writes stores this number of documents that is profiled, after as many that are not.
WRITTEN = {1: 100, 10: 400, 1000: 4000}
# A session plans its statements anew in its first calls.
WARM = 8
Query = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    kinds = [*SEARCHES, FIRST, *WRITES]
    parser.add_argument("--dsn", help="a database that benchmarks.peers has loaded, as a superuser; it gets functions")
    parser.add_argument("--size", type=int, default=20_000, help="documents to load without --dsn (%(default)s)")
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--queries", type=int, default=40, help="of each kind (%(default)s)")
    parser.add_argument("--words", type=int, default=4, help="of a query (%(default)s)")
    parser.add_argument("--kinds", default=",".join(kinds), help="some of: %(default)s")
    parser.add_argument("--top", type=int, default=25, help="functions and statements to print (%(default)s)")
    args = parser.parse_args()
    chosen = args.kinds.split(",")
    if unknown := set(chosen) - set(kinds):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}")
    with ExitStack() as stack:
        dsn = args.dsn or loaded(stack, args.size, args.postgres_version)
        if not install_profiler(dsn):
            parser.error("there is no C compiler")
        queries = make_queries(size_of(dsn), args.words, args.queries)
        for kind in chosen:
            if kind in SEARCHES:
                shown(kind, *of_searches(dsn, SEARCHES[kind], queries), args.top)
            elif kind == FIRST:
                shown(kind, *of_first(dsn, queries), args.top)
            else:
                shown(kind, *of_writes(dsn, WRITES[kind]), args.top)


def loaded(stack: ExitStack, size: int, version: int) -> str:
    """Return the database of a server that stops in the end."""
    folder = temporary_folder()
    stack.callback(shutil.rmtree, folder)
    folder.chmod(0o755)
    stack.callback(embedded.stop, folder / "server")
    server = embedded.ensure_running(folder / "server", version)
    make_fast(server)
    engine = Pgbraid(store(folder / "corpus", LETTERS, size, 1), Place(folder, server.dsn))
    if not engine.is_loaded():
        engine.load()
    return server.dsn_for(engine.database)


def size_of(dsn: str) -> int:
    with psycopg.connect(dsn, autocommit=True) as db:
        ((size,),) = db.execute(
            "select count(*) from braid_store.chunks k join braid_store.collections c on c.id = k.collection_id"
            " where c.name = %s",
            (COLLECTION,),
        ).fetchall()
    return int(size)


def make_queries(size: int, words: int, count: int) -> list[Query]:
    texts = Synthetic(size).queries(words, count)
    return [
        {
            "text": query.text,
            "vector": text(vector),
            "collection": COLLECTION,
            "third": Jsonb({"third_declared": 0}),
            "percent": Jsonb({"percent_declared": 0}),
        }
        for query, vector in zip(texts, Corpus(size).queries(count), strict=True)
    ]


def connect(dsn: str) -> Connection:
    db = psycopg.connect(make_conninfo(dsn, user=READER), autocommit=True, prepare_threshold=0)
    db.execute("select set_config('braid.tenant', %s, false)", (TENANT,))
    return db


def of_searches(dsn: str, statement: str, queries: list[Query]) -> tuple[Profile, float]:
    """Return the profile of a search, and its CPU in milliseconds without the profiler."""
    with connect(dsn) as db:
        for query in queries[:WARM]:
            db.execute(statement, query).fetchall()
        begun = cpu_seconds(db)
        for query in queries:
            db.execute(statement, query).fetchall()
        spent = cpu_seconds(db) - begun
        start_profile(db)
        for query in queries:
            db.execute(statement, query).fetchall()
        return average([read_profile(db)], len(queries)), spent * 1000 / len(queries)


def of_first(dsn: str, queries: list[Query]) -> tuple[Profile, float]:
    """Return the profile of the first hybrid search of a session, and its CPU with the start of the session."""
    spent, profiles = 0.0, list[list[Part]]()
    for query in queries:
        with connect(dsn) as db:
            db.execute(SEARCHES["hybrid"], query).fetchall()
            spent += cpu_seconds(db)
        with connect(dsn) as db:
            start_profile(db)
            db.execute(SEARCHES["hybrid"], query).fetchall()
            profiles.append(read_profile(db))
    return average(profiles, len(queries)), spent * 1000 / len(queries)


def of_writes(dsn: str, batch: int) -> tuple[Profile, float]:
    """Return the profile of a document in a new collection, and its CPU in milliseconds without the profiler."""
    count = WRITTEN[batch]
    made = documents(Synthetic(2 * count), Corpus(2 * count).vectors, range(2 * count))
    with pgbraid.connect(dsn, tenant=TENANT, embedder=None) as client:
        db = client.connection
        client.create_collection("profiled", text_config="simple", dimensions=len(made[0]["embedding"]))
        try:
            spent = 0.0
            for calls in halves(made, batch):
                begun = cpu_seconds(db)
                if spent:
                    start_profile(db)
                for call in calls:
                    client.add_documents(call, collection="profiled")
                spent = spent or cpu_seconds(db) - begun
            return average([read_profile(db)], count), spent * 1000 / count
        finally:
            client.drop_collection("profiled")


def halves(made: list[dict[str, Any]], batch: int) -> Iterator[list[list[dict[str, Any]]]]:
    """Yield the batches of the first and of the second half."""
    half = len(made) // 2
    for first in (0, half):
        yield [made[start : start + batch] for start in range(first, first + half, batch)]


def shown(kind: str, profile: Profile, cpu_ms: float, top: int) -> None:
    functions, statements = profile.functions, profile.statements
    calls: Callable[[list[Part]], float] = lambda parts: sum(part.calls for part in parts)  # noqa: E731
    print(
        f"\n{kind}: {cpu_ms:.2f} ms of CPU; {calls(statements):.1f} statements of PL/pgSQL in "
        f"{calls(functions):.1f} calls of functions"
    )
    print(f"  {'calls':>8} {'own ms':>8} {'total ms':>8}")
    for part in functions[:top]:
        print(f"  {part.calls:8.2f} {part.own_ms:8.3f} {part.total_ms:8.3f}  {part.function}")
    print(f"  {'calls':>8} {'own ms':>8} {'total ms':>8}")
    for part in statements[:top]:
        place = f"{part.function}:{part.line}"
        print(f"  {part.calls:8.2f} {part.own_ms:8.3f} {part.total_ms:8.3f}  {place}  {part.text[:60]}", flush=True)


if __name__ == "__main__":
    main()
