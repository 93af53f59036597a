"""Measure misspelt words, permissions, counts and completion beside what others offer: `python -m
benchmarks.expectations` in tests/. PYTHONPATH adds LanceDB, Tantivy and DuckDB; their CPU is of all threads."""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psycopg

from benchmarks import typos
from benchmarks.expectations.data import GROUPS, USERS, Connection, Row, loaded
from benchmarks.expectations.libraries import Libraries
from benchmarks.full_text.report import number, p50, table
from benchmarks.peers.engine import cpu_seconds
from benchmarks.quality.measures import ndcg_at_10
from benchmarks.search import DATA, SETS
from pgbraid import embedded
from support.judged import load_judged

# A turn has some searches of one way; throughput has turns of some seconds.
TURN, CLIENTS, SECONDS, ROUNDS = 10, 4, 2, 3
Ask = Callable[[Any, Any], list[Any]]
Ways = dict[str, tuple[Any, Ask]]
Queries = Sequence[dict[str, Any]]
BY_HAND = """
with full_text as (
  select id, row_number() over (order by rank desc) as place from (
    select id, ts_rank(fts, query) as rank from hand.documents, websearch_to_tsquery('english', %(any)s) query
    where fts @@ query {filter} order by rank desc limit 20) t
), semantic as (
  select id, row_number() over (order by distance) as place from (
    select id, embedding <=> %(vector)s::vector as distance from hand.documents where true {filter}
    order by embedding <=> %(vector)s::vector limit 20) t
)
select id from full_text full join semantic using (id)
order by coalesce(1.0 / (60 + full_text.place), 0) + coalesce(1.0 / (60 + semantic.place), 0) desc limit 10
"""
CONDITION = BY_HAND.format(filter="and access && string_to_array(current_setting('hand.groups'), ',')")
POLICY = BY_HAND.format(filter="")
HYBRID = """
select external_id from braid.hybrid_search(%(text)s, %(vector)s, 10, collection => 'hearings',
  candidate_count => %(width)s, filters => %(filter)s, options => %(options)s)
"""
FULL_TEXT = "select external_id from braid.full_text_search(%s, 10, collection => 'hearings', options => %s)"
GROUP_BY = """
select speaker, date_trunc('month', occurred_at) as month, floor(price / 50) as bucket, count(*) from {source}
group by grouping sets ((speaker), (date_trunc('month', occurred_at)), (floor(price / 50)))
"""
MATCHED = GROUP_BY.format(source="hand.documents where fts @@ websearch_to_tsquery('english', %s)")
FACETS = "select key, value, count from braid.facets(null, %s, collection => 'hearings', aggregations => %s)"
COUNTED = '{"price": {"interval": 50}, "occurred_at": {"interval": "month"}, "speaker": {"values": 10000}}'
LIKE = "select word from hand.words where word like %s order by ndoc desc, word limit 10"
COMPLETE = "select completion from braid.complete(%s, collection => 'hearings', match_count => 10, kinds => %s)"


class Session:
    """Ask the database as one client. One process does all the work."""

    def __init__(self, dsn: str, *settings: str) -> None:
        self.dsn, self._settings = dsn, settings
        self._db: Connection = psycopg.connect(dsn, autocommit=True, prepare_threshold=0)
        for setting in ("max_parallel_workers_per_gather = 0", *settings):
            self._db.execute(f"set {setting}".encode())

    @property
    def cpu(self) -> float:
        return cpu_seconds(self._db.info.backend_pid)

    def again(self) -> Session:
        return Session(self.dsn, *self._settings)

    def ask(self, statement: str, values: Any = None) -> list[Any]:
        return [row[0] for row in self._db.execute(statement.encode(), values)]


def compare(title: str, ways: Ways, queries: Sequence[Any], exact: dict[str, Ask] | None = None) -> None:
    """Print clock, CPU, and recall beside exact answers, by turns. The first way is the base of the ratios."""
    clock: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, float] = defaultdict(float)
    # The first turn plans and reads what later turns find ready.
    for first in (-1, *range(0, len(queries), TURN)):
        for name, (client, ask) in ways.items():
            before = client.cpu
            for query in queries[max(first, 0) : max(first, 0) + TURN]:
                started = time.perf_counter()
                ask(client, query)
                clock[name] += [1000 * (time.perf_counter() - started)] if first >= 0 else []
            cpu[name] += client.cpu - before if first >= 0 else 0
    rows = []
    for name, (client, ask) in ways.items():
        shares = []
        for query in queries[:20] if name in (exact or {}) else []:
            truth = {*(exact or {})[name](client, query)}
            shares += [len(truth.intersection(ask(client, query))) / len(truth)] if truth else []
        ratio = f"{cpu[name] / cpu[next(iter(ways))]:.2f}"
        recall = f"{np.mean(shares):.3f}" if shares else "–"
        rows.append((name, [number(p50(clock[name])), number(1000 * cpu[name] / len(queries)), ratio, recall]))
    table(title, ["ms p50", "CPU ms, mean", "ratio", "recall"], rows)


def throughput(ways: Ways, queries: Sequence[Any]) -> None:
    """Print searches a second of four clients, by turns of some seconds."""
    clients = {name: [client.again() for _ in range(CLIENTS)] for name, (client, _) in ways.items()}
    counts: Counter[str] = Counter()

    def run(name: str, client: Any, place: int, until: float) -> None:
        while time.perf_counter() < until:
            ways[name][1](client, queries[place % len(queries)])
            place += 1
            counts[name] += 1

    for name in [*ways] * ROUNDS:
        until = time.perf_counter() + SECONDS
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(run, [name] * CLIENTS, clients[name], range(0, 7 * CLIENTS, 7), [until] * CLIENTS))
    rows = [(name, [f"{counts[name] / SECONDS / ROUNDS:.1f}"]) for name in ways]
    table("", [f"searches a second, {CLIENTS} clients"], rows)


def misspelt(session: Session, libraries: Libraries, rows: list[Row], given: Queries) -> None:
    counts = Counter(word for row in rows for word in set(typos.WORD.findall(row.content.lower())))
    rare = sorted(word for word, chunks in counts.items() if 2 < chunks < len(rows) / 100)
    common = [word for word, _ in counts.most_common(2000)]
    random = Random(1)
    for edits in (1, 2):
        queries = []
        for _ in given:
            word = changed = random.choice(rare)
            while changed in counts:
                changed = word
                for _ in range(edits):
                    changed = typos.edited(changed, random)
            rest = " ".join(random.sample(common, 3))
            queries.append((f"{rest} {word}", f"{rest} {changed}", edits))
        ways: Ways = {
            "pgbraid, as meant, off": (session, lambda to, q: to.ask(FULL_TEXT, (q[0], '{"typos": "off"}'))),
            "pgbraid, misspelt, auto": (session, lambda to, q: to.ask(FULL_TEXT, (q[1], '{"typos": "auto"}'))),
            "LanceDB, as meant": (libraries, lambda to, q: to.lance(q[0], 0)),
            "LanceDB, misspelt, fuzzy": (libraries, lambda to, q: to.lance(q[1], q[2])),
            "Tantivy, as meant": (libraries, lambda to, q: to.tantivy(q[0], 0)),
            "Tantivy, misspelt, fuzzy": (libraries, lambda to, q: to.tantivy(q[1], q[2])),
        }
        compare(f"{len(rows):,} chunks, one word with {edits} edits", ways, queries)
        throughput({name: way for name, way in ways.items() if "misspelt" in name}, queries)


def quality(db: Connection, folder: Path, name: str) -> None:
    """Print nDCG@10 of 300 queries as meant and misspelt. The libraries are told the number of edits."""
    db.execute("select braid.drop_collection(name) from braid.collections where name = %s", (name,))
    texts = typos.load(db, name)
    keys = [str(document["external_id"]) for document in load_judged(DATA / name).documents()
            if document["content"]]  # fmt: skip
    libraries = Libraries(folder / name, dict(zip(keys, texts, strict=True)))
    for edits in (1, 2):
        rows = []
        for engine in ("pgbraid", "lance", "tantivy"):
            scores = []
            for query in list(typos.misspelt(name, texts, edits, 0))[:300]:
                asked = [(query.text, 0), (query.misspelt, 0), (query.misspelt, edits)]
                if engine == "pgbraid":
                    found = [typos.ndcg(db, name, text, query.judged, "auto" if n else "off") for text, n in asked]
                else:
                    ask = getattr(libraries, engine)
                    answers = [ask(re.sub(r"\W+", " ", text), n) for text, n in asked]
                    found = [ndcg_at_10(answer, query.judged) for answer in answers]
                scores.append(found)
            meant, off, fuzzy = map(float, np.mean(scores, axis=0))
            back = f"{(fuzzy - off) / (meant - off):.0%}"
            rows.append((engine, [*(f"{mean:.4f}" for mean in (meant, off, fuzzy)), back]))
        table(f"{name}, {edits} edits", ["as meant", "misspelt", "misspelt, fuzzy", "back"], rows)


def permissions(session: Session, _: Libraries, rows: list[Row], queries: Queries) -> None:
    for user in USERS:
        restricted(session, rows, queries, user)


def restricted(session: Session, rows: list[Row], queries: Queries, user: str) -> None:
    groups = f"hand.groups = '{','.join(GROUPS[user])}'"
    hand = ("hnsw.iterative_scan = strict_order", "hnsw.ef_search = 100", groups)
    ours = Session(session.dsn, f"braid.principals = '[\"user:{user}\"]'")
    exact = Session(session.dsn, groups, "enable_indexscan = off")
    ways: Ways = {
        "pgbraid": (ours, lambda to, q: to.ask(HYBRID, q)),
        "pgbraid, declared filter": (
            session,
            lambda to, q: to.ask(HYBRID, q | {"filter": f'{{"{user}": 1}}'}),
        ),
        "pgbraid, 20 candidates": (ours, lambda to, q: to.ask(HYBRID, q | {"width": 20})),
        "by hand, policy": (Session(session.dsn, *hand, "role hand_reader"), lambda to, q: to.ask(POLICY, q)),
        "by hand, condition": (Session(session.dsn, *hand), lambda to, q: to.ask(CONDITION, q)),
    }
    right: dict[str, Ask] = {
        "pgbraid": lambda to, q: to.ask(HYBRID, q | {"options": '{"exact": true}'}),
        "by hand, policy": lambda _, q: exact.ask(CONDITION, q),
    }
    compare(f"{len(rows):,} chunks, a {user} may be read", ways, queries, right | {
        "pgbraid, 20 candidates": lambda to, q: to.ask(HYBRID, q | {"width": 20, "options": '{"exact": true}'}),
        "by hand, condition": right["by hand, policy"],
    })  # fmt: skip
    throughput(ways, queries)


def counts(session: Session, libraries: Libraries, rows: list[Row], queries: Queries) -> None:
    libraries.duck("create table documents (speaker text, occurred_at timestamp, price int)")
    columns = [[row.speaker for row in rows], [row.occurred_at for row in rows], [row.price for row in rows]]
    libraries.duckdb.execute("insert into documents select unnest(?), unnest(?)::timestamp, unnest(?)", columns)
    compare(f"{len(rows):,} chunks counted", {
        "by hand": (session, lambda to, _: to.ask(GROUP_BY.format(source="hand.documents"))),
        "pgbraid": (session, lambda to, _: to.ask(FACETS, (None, COUNTED))),
        "DuckDB": (libraries, lambda to, _: to.duck(GROUP_BY.format(source="documents"))),
    }, queries[:5])  # fmt: skip
    compare(f"{len(rows):,} chunks, those with any of four words counted", {
        "by hand": (session, lambda to, q: to.ask(MATCHED, (q["any"],))),
        "pgbraid": (session, lambda to, q: to.ask(FACETS, (q["text"], COUNTED))),
    }, queries[:20])  # fmt: skip


def completion(session: Session, libraries: Libraries, rows: list[Row], _: Queries) -> None:
    words = [word for row in rows[:: len(rows) // 60] for word in typos.WORD.findall(row.content.lower())[:1]]
    like: Ask = lambda _, prefix: session.ask(LIKE, (f"{prefix}%",))  # noqa: E731
    ways: Ways = {
        "LIKE over a table of words": (session, like),
        "pgbraid, words": (session, lambda to, q: [word.lower() for word in to.ask(COMPLETE, (q, ["word"]))]),
        "pgbraid, all kinds": (session, lambda to, q: to.ask(COMPLETE, (q, ["word", "phrase", "title"]))),
        "Tantivy, terms": (libraries, lambda to, q: to.complete(q)),
    }
    for letters in (1, 2, 4):
        prefixes = [word[:letters] for word in words]
        shared = dict.fromkeys(("pgbraid, words", "Tantivy, terms"), like)
        compare(f"{len(rows):,} chunks, {letters} letters; share of the commonest ten", ways, prefixes, shared)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.expectations", description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--data-dir", type=Path, required=True, help="keeps the rows; a larger size adds to them")
    parser.add_argument("--sizes", default="40000,200000")
    parser.add_argument("--sections", default="quality,misspelt,permissions,counts,completion")
    parser.add_argument("--searches", type=int, default=60)
    arguments = parser.parse_args()
    sections, random = arguments.sections.split(","), Random(2)
    for size in map(int, arguments.sizes.split(",")):
        with loaded(arguments.data_dir, arguments.postgres_version, size) as (db, dsn, rows), \
                tempfile.TemporaryDirectory() as temporary:  # fmt: skip
            if "quality" in sections:
                for name in SETS if arguments.sizes.startswith(str(size)) else ():
                    quality(db, Path(temporary), name)
            session = Session(dsn)
            queries: list[dict[str, Any]] = []
            libraries = Libraries(Path(temporary) / "hearings", {row.id: row.content for row in rows})
            while len(queries) < arguments.searches:
                row = random.choice(rows)
                words = sorted(set(typos.WORD.findall(row.content.lower())))
                if len(words) > 3:
                    chosen = random.sample(words, 4)
                    vector = [value + random.gauss(0, 1 / 3) for value in row.embedding]
                    queries.append({"text": " ".join(chosen), "any": " or ".join(chosen), "vector": json.dumps(vector),
                                    "width": None, "filter": None, "options": "{}"})  # fmt: skip
            for section in sections:
                if section in ("misspelt", "permissions", "counts", "completion"):
                    globals()[section](session, libraries, rows, queries)


if __name__ == "__main__":
    main()
