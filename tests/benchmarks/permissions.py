"""Measure a hybrid search of a limited session beside a declared filter: `python -m benchmarks.permissions` in tests/.

Both find the same documents: the attribute of a document tells whether the session's groups may read it."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from random import Random
from typing import Any

import psutil
import psycopg

from benchmarks.full_text.report import p50, say, table
from benchmarks.search import fresh_database
from benchmarks.search_log import cpu_seconds, timed
from pgbraid import embedded
from support.calls import upsert
from support.nearest import maintain

Connection = psycopg.Connection[Any]
DIMENSIONS = 64
WORDS = [f"w{n}" for n in range(20_000)]
GROUPS = 1000
LISTS = 2000
# Each turn has this number of searches of one kind.
TURN = 10
FILTER = '{"readable": 1}'
SEARCH = "select count(*) from braid.hybrid_search(%s, %s, filters => %s)"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.permissions", description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--chunks", type=int, default=200_000)
    parser.add_argument("--groups", type=int, default=50, help="groups of the user")
    parser.add_argument("--searches", type=int, default=200, help="searches of each kind")
    arguments = parser.parse_args()
    random = Random(1)
    groups = [f"group:{n}" for n in random.sample(range(GROUPS), arguments.groups)]
    lists = [[f"group:{n}" for n in random.sample(range(GROUPS), random.randint(1, 3))] for _ in range(LISTS)]
    with fresh_database(arguments.postgres_version, ["permissions"]) as db:
        db.execute("select braid.create_collection('permissions', dimensions => %s)", (DIMENSIONS,))
        db.execute("select braid.set_indexed_attributes('{\"readable\": \"number\"}', 'permissions')")
        db.execute("select braid.set_permissions('permissions', true)")
        fill(db, arguments.chunks, lists, {*groups}, random)
        for user in groups:
            db.execute("select braid.add_principal_member('default', %s, 'user:ana')", (user,))
        compare(db, arguments.searches, random)


def text(random: Random, length: int) -> str:
    return " ".join(WORDS[int(len(WORDS) * random.random() ** 3)] for _ in range(length))


def embedding(random: Random) -> str:
    return json.dumps([round(random.gauss(0, 1), 4) for _ in range(DIMENSIONS)])


def fill(db: Connection, chunks: int, lists: list[list[str]], groups: set[str], random: Random) -> None:
    readable = 0
    for first in range(0, chunks, 1000):
        documents = []
        for number in range(first, min(first + 1000, chunks)):
            access = random.choice(lists)
            may_read = bool(groups & {*access})
            readable += may_read
            documents.append(
                {
                    "external_id": f"d{number}",
                    "content": text(random, 40),
                    "embedding": json.loads(embedding(random)),
                    "metadata": {"readable": int(may_read)},
                    "access": access,
                }
            )
        upsert(db, documents, "permissions")
    maintain(db)
    db.execute("vacuum analyze")
    say(f"{chunks:,} chunks, {len(lists):,} lists; {len(groups)} groups may read {100 * readable / chunks:.0f} %")


def compare(db: Connection, searches: int, random: Random) -> None:
    server = psutil.Process(db.info.backend_pid)
    kinds = {
        "no limits, no filter": ("", None),
        "declared filter": ("", FILTER),
        "limited session": ('["user:ana"]', None),
        "limited session, declared filter": ('["user:ana"]', FILTER),
    }
    clock: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, float] = defaultdict(float)
    asked = [(text(random, 4), embedding(random)) for _ in range(searches)]
    statement = SEARCH.replace("filters", "collection => 'permissions', filters")
    for first in range(-TURN, searches, TURN):
        for name, (principals, filters) in kinds.items():
            db.execute("select set_config('braid.principals', %s, false)", (principals,))
            before = cpu_seconds(server)
            times = [timed(db, statement, *query, filters) for query in asked[max(first, 0) : max(first, 0) + TURN]]
            # The first turn plans and reads what later turns find ready.
            if first >= 0:
                clock[name] += times
                cpu[name] += cpu_seconds(server) - before
    base = cpu["declared filter"]
    rows = [
        (name, [f"{p50(clock[name]):.2f}", f"{1000 * cpu[name] / searches:.2f}", f"{cpu[name] / base:.2f}"])
        for name in kinds
    ]
    table("a hybrid search, by turns", ["ms p50", "CPU ms, mean", "ratio"], rows)


if __name__ == "__main__":
    main()
