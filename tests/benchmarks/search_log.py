"""Measure the cost of the search log for a search, and its views' time: `python -m benchmarks.search_log` in tests/."""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import defaultdict
from typing import Any

import psutil
import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.full_text.report import p50, say, table
from benchmarks.search import fresh_database
from endurance.traffic import document, queries, write
from pgbraid import embedded

Connection = psycopg.Connection[Any]
# Each kind of call has a setting of the collection's log, and a statement.
CALLS = {
    "search_json": ("off", "select braid.search_json(%s)"),
    "search, log off": ("off", "select braid.logged_search(%s)"),
    "search, log on": ("all", "select braid.logged_search(%s)"),
}
# Each turn has this number of calls of one kind.
TURN = 20
VIEWS = {
    "search_latency": "select * from braid.search_latency",
    "search_problems": "select * from braid.search_problems",
    "query_statistics, 20 most frequent": "select * from braid.query_statistics order by calls desc limit 20",
    "search_success": "select * from braid.search_success",
    "search_hours": "select * from braid.search_hours",
    "search_log, last day": "select count(*) from braid.search_log where searched_at >= now() - interval '1 day'",
    "search_activity": "select * from braid.search_activity",
}
FILL = """
insert into braid_store.search_log
  (tenant_id, search_id, collection_id, searched_at, login, mode, semantic_mode, query_text, match_count, result_count,
   is_first_page, external_ids, chunk_indexes, is_underfilled, warnings, ranking, configuration, sample_share,
   query_time_ms, compile_ms, legs_ms, ranking_ms, rows_ms)
select t.tenant_id, braid_store.search_id_at(t.searched_at), t.collection_id, t.searched_at, 'app', t.mode,
       case t.mode when 'hybrid' then 'hnsw' end, 'query ' || floor(50000 * random() ^ 3), 10, t.result_count, true,
       array(select 'd' || ((n * 7919 + t.number) %% 100000) from generate_series(1, t.result_count) n),
       array_fill(0, array[t.result_count]), false, '{}', 'convex', '{}', 1, 5 + 40 * random() ^ 4, 1, 2, 1, 1
from (
  select n as number, braid.current_tenant_id() as tenant_id, c.id as collection_id,
         now() - random() * interval '30 days' as searched_at,
         (array['hybrid', 'full_text'])[1 + (n %% 2)] as mode, case when n %% 20 = 0 then 0 else 10 end as result_count
  from generate_series(1, %s) n, braid_store.collections c
  where c.name = 'default'
) t
-- As searches come: maintain() reads a part at a time, and adds to the hours and days that it has.
order by t.searched_at
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search_log", description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--searches", type=int, default=1_000, help="calls of each kind")
    parser.add_argument(
        "--rows", type=int, nargs="*", default=[100_000, 1_000_000], help="sizes of the log for its views"
    )
    arguments = parser.parse_args()
    with fresh_database(arguments.postgres_version) as db:
        fill(db, arguments.documents)
        # Most logins that search are members of one tenant.
        db.execute("create role searcher login in role braid_reader")
        db.execute("select braid.add_tenant_member('default', 'searcher')")
        with psycopg.connect(make_conninfo(db.info.dsn, user="searcher"), autocommit=True) as searcher:
            searcher.execute("set braid.tenant = 'default'")
            overhead(db, searcher, arguments.documents, arguments.searches)
        for count in arguments.rows:
            views(db, count)


def fill(db: Connection, documents: int) -> None:
    rng = random.Random(1)
    for first in range(0, documents, 500):
        write(db, [document(rng, f"d{number}", "v") for number in range(first, first + 500)])
    db.execute("select braid.maintain('1 minute')")
    db.execute("vacuum analyze")


def overhead(db: Connection, searcher: Connection, documents: int, searches: int) -> None:
    texts = queries(searches)
    server = psutil.Process(searcher.info.backend_pid)
    clock: dict[str, list[float]] = defaultdict(list)
    cpu: dict[str, float] = defaultdict(float)
    for statement in (statement for _, statement in CALLS.values()):
        searcher.execute(statement, (texts[0],))
    for first in range(0, searches, TURN):
        for name, (log, statement) in CALLS.items():
            db.execute("select braid.set_search_log('default', %s)", (log,))
            # The first call of a turn reads the new settings.
            searcher.execute(statement, (texts[first],))
            cpu_before = cpu_seconds(server)
            for text in texts[first : first + TURN]:
                clock[name].append(timed(searcher, statement, text))
            cpu[name] += cpu_seconds(server) - cpu_before
    rows = [(name, [f"{p50(clock[name]):.2f}", f"{1000 * cpu[name] / searches:.2f}"]) for name in CALLS]
    logged = db.execute(
        "select search_id::text, external_ids[1] from braid.search_log where result_count > 0"
    ).fetchall()
    statement = "select braid.record_feedback(%s, %s, 'click')"
    cpu_before = cpu_seconds(server)
    times = [timed(searcher, statement, *row) for row in logged]
    rows.append(
        ("record_feedback", [f"{p50(times):.2f}", f"{1000 * (cpu_seconds(server) - cpu_before) / len(times):.2f}"])
    )
    say(f"{documents:,} documents, {searches:,} calls of each kind, by turns")
    table("a call", ["ms p50", "CPU ms, mean"], rows)


def views(db: Connection, count: int) -> None:
    db.execute("select braid.set_search_log('default', 'off')")
    here = one(db, "select count(*) from braid.search_log")
    started = time.perf_counter()
    db.execute(FILL, (count - here,))
    say(f"{count:,} searches written")
    rolled_up = -time.perf_counter()
    while one(db, "select count(*) from only braid_store.search_log"):
        db.execute("select braid.maintain('10 minutes')")
    rolled_up += time.perf_counter()
    db.execute("vacuum analyze")
    size = one(
        db,
        "select sum(pg_total_relation_size(c.oid)) from pg_class c "
        "where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and c.relname ~ '^search_log'",
    )
    say(f"filled and counted in {time.perf_counter() - started:.0f} s")
    rows = [("maintain, to count and move them", [f"{1000 * rolled_up:,.0f}"])]
    for name, statement in VIEWS.items():
        rows.append((name, [f"{1000 * statistics.median(timed(db, statement) / 1000 for _ in range(3)):,.0f}"]))
    table(f"{count:,} searches, {size / 2**20:,.0f} MB", ["ms"], rows)


def timed(db: Connection, statement: str, *values: str | None) -> float:
    """Return the milliseconds until all rows have arrived."""
    started = time.perf_counter()
    db.execute(statement, values).fetchall()
    return 1000 * (time.perf_counter() - started)


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def one(db: Connection, statement: str) -> int:
    row = db.execute(statement).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
