"""Measure what standing queries cost a write, beside a trigger by hand that tests each of them: `python -m
benchmarks.standing_queries` in tests/."""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import psycopg

from benchmarks.full_text.report import p50, p95, say, table
from benchmarks.search import fresh_database
from pgbraid import embedded
from support.calls import one, upsert, vector
from support.judged import load_judged

Connection = psycopg.Connection[Any]
DATA = Path(__file__).parents[3] / "shared" / "data"
DIMENSIONS = 384
HAND = "by hand"
KINDS = ("none", "text", "vectors", "text and vectors", HAND)
BY_HAND = """
create schema hand;
create table hand.queries (name text primary key, query tsquery);
create table hand.matches (name text, id text);
create table hand.documents (id text primary key, content text, fts tsvector, embedding vector(384));
create function hand.match() returns trigger language plpgsql as $$
begin
  insert into hand.matches select q.name, new.id from hand.queries q where new.fts @@ q.query;
  return null;
end $$;
create trigger match after insert on hand.documents for each row execute function hand.match();
create index on hand.documents using gin (fts)
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.standing_queries", description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--writes", type=int, default=200, help="documents of each kind, one a write")
    parser.add_argument("--batch", type=int, default=1_000, help="documents of a bulk load")
    arguments = parser.parse_args()
    rng = random.Random(1)
    texts = documents()
    rng.shuffle(texts)
    with fresh_database(arguments.postgres_version) as db:
        db.execute(BY_HAND)
        for kind in KINDS:
            db.execute("select braid.create_collection(%s, dimensions => %s)", (kind, DIMENSIONS))
            write(db, [given(f"old {n}", text, rng) for n, text in enumerate(texts[:1000])], kind)
            stand(db, kind, texts, arguments.queries, rng)
        db.execute("select braid.maintain('1 minute')")
        db.execute("vacuum analyze")
        say(f"{arguments.queries:,} standing queries of each kind")
        single(db, texts, arguments.writes, rng)
        bulk(db, texts, arguments.batch, rng)


def documents() -> list[str]:
    """Return the abstracts of SciFact."""
    return load_judged(DATA / "scifact").contents


def given(external_id: str, text: str, rng: random.Random) -> dict[str, Any]:
    return {"external_id": external_id, "content": text[:1200], "embedding": random_vector(rng)}


def random_vector(rng: random.Random) -> list[float]:
    drawn = np.random.default_rng(rng.getrandbits(32)).standard_normal(DIMENSIONS)
    return [float(x) for x in drawn / np.linalg.norm(drawn)]


def stand(db: Connection, kind: str, texts: list[str], count: int, rng: random.Random) -> None:
    """Create standing queries of two to four words that stand near each other in some text. A tenth of them are
    phrases, and a tenth exclude a word."""
    with db.transaction():
        for number in range(count if kind != "none" else 0):
            words = re.findall(r"\b[\w-]{5,}\b", rng.choice(texts)) or ["nothing"]
            first = rng.randrange(max(1, len(words) - 4))
            text = " ".join(words[first : first + rng.choice([2, 2, 3, 3, 4])])
            form = number % 10
            text = f'"{text}"' if form == 0 else f"{text} -{rng.choice(words)}" if form == 1 else text
            if kind == HAND:
                query = "insert into hand.queries values (%s, websearch_to_tsquery('english', %s))"
                db.execute(query, (str(number), text))
                continue
            has_vector = "vectors" in kind
            db.execute(
                "select braid.create_standing_query(%s, %s, %s::vector, collection => %s, semantic_min_score => %s)",
                (str(number), text if "text" in kind else None, vector(random_vector(rng)) if has_vector else None,
                 kind, 0.2 if has_vector else None),
            )  # fmt: skip


def write(db: Connection, batch: list[dict[str, Any]], kind: str) -> None:
    if kind == HAND:
        values = [(row["external_id"], row["content"], row["content"], vector(row["embedding"])) for row in batch]
        insert = "insert into hand.documents values (%s, %s, to_tsvector('english', %s), %s::vector)"
        db.cursor().executemany(insert, values)
    else:
        upsert(db, batch, kind)


def single(db: Connection, texts: list[str], count: int, rng: random.Random) -> None:
    server = psutil.Process(db.info.backend_pid)
    clock: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, float] = defaultdict(float)
    for number in range(-20, count):
        document = given(f"new {number}", texts[1000 + number % (len(texts) - 1000)], rng)
        for kind in rng.sample(KINDS, len(KINDS)):
            before, started = cpu_seconds(server), time.perf_counter()
            write(db, [document], kind)
            if number >= 0:
                clock[kind].append(1000 * (time.perf_counter() - started))
                cpu[kind] += cpu_seconds(server) - before
    rows = [
        (kind, [f"{p50(clock[kind]):.1f}", f"{p95(clock[kind]):.1f}", f"{1000 * cpu[kind] / count:.1f}",
                f"{matches(db, kind) / (count + 20):.1f}"])
        for kind in KINDS
    ]  # fmt: skip
    table("a write of one document", ["ms p50", "ms p95", "CPU ms, mean", "matches"], rows)


def bulk(db: Connection, texts: list[str], count: int, rng: random.Random) -> None:
    server = psutil.Process(db.info.backend_pid)
    batch = [given(f"bulk {n}", text, rng) for n, text in enumerate(texts[2000 : 2000 + count])]
    rows = []
    for kind in KINDS:
        before, started, had = cpu_seconds(server), time.perf_counter(), matches(db, kind)
        write(db, batch, kind)
        cells = [time.perf_counter() - started, cpu_seconds(server) - before]
        rows.append((kind, [*(f"{cell:.2f}" for cell in cells), f"{matches(db, kind) - had:,}"]))
    table(f"a write of {count:,} documents", ["s", "CPU s", "matches"], rows)


def matches(db: Connection, kind: str) -> int:
    if kind == HAND:
        return int(one(db, "select count(*) from hand.matches"))
    return int(one(db, "select (braid.status(%s) -> 'collections' -> 0 ->> 'standing_query_matches')::int", kind))


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    main()
