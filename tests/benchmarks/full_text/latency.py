"""Measure the latency of searches, and compare results with plain arrays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.baselines import (
    PLAIN_ARRAYS,
    PLAIN_ARRAYS_SETTINGS,
    TS_PHRASE,
    TS_RANK,
    build_baselines,
)
from benchmarks.full_text.corpus import Query
from benchmarks.full_text.database import COLLECTION, READER, TENANT, Bench, ingest, maintain
from benchmarks.full_text.report import number, p50, pair, say, table

Connection = psycopg.Connection[Any]
LENGTHS = (1, 2, 4, 8)
SHARES = (0.5, 0.05, 0.005, 0.0005)
SEARCH = """
select external_id, chunk_index, score
from braid.full_text_search(%(text)s, %(count)s, %(filters)s::jsonb, collection => %(collection)s)
"""
OURS, ARRAYS, TS, BOUND_TS = "full_text_search", "plain arrays", "ts_rank_cd + GIN", "ts_rank_cd + GIN under RLS"
# Slow engines get fewer queries.
MOST_ASKED = {(TS, 8): 20, **{(BOUND_TS, length): 10 for length in LENGTHS}}
# Each engine answers this number of queries in a row, with its data in the processor's caches, as in continuous use.
ROUND = 20


class Time(NamedTuple):
    """Hold milliseconds: at the client, and of the server's processor."""

    wall: float
    cpu: float


class Engine:
    """Run one way to search, on a connection of its own."""

    def __init__(self, name: str, db: Connection, statement: str, arguments: Callable[[Query], dict[str, Any]]) -> None:
        self.name = name
        self._db, self._statement, self._arguments = db, statement, arguments
        self._clock = Path(f"/proc/{db.info.backend_pid}/schedstat")
        self.times: list[Time] = []

    def ask(self, query: Query) -> list[Any]:
        arguments = self._arguments(query)  # The measured time begins after this.
        cpu, started = self._cpu(), time.perf_counter()
        rows = self._db.execute(self._statement, arguments, prepare=True).fetchall()
        wall = (time.perf_counter() - started) * 1000
        self.times.append(Time(wall, self._cpu() - cpu))
        return rows

    def _cpu(self) -> float:
        return int(self._clock.read_text().split()[0]) / 1e6 if self._clock.exists() else 0.0

    def take_times(self) -> list[Time]:
        times, self.times = self.times, []
        return times


class Restriction(NamedTuple):
    name: str
    share: float  # the intended share
    filters: dict[str, Any]
    word: str | None = None  # a word that all passing chunks contain


@contextmanager
def engines(bench: Bench) -> Iterator[dict[str, Engine]]:
    build_baselines(bench)
    with ExitStack() as stack:

        def connect() -> Connection:
            return stack.enter_context(bench.connect(READER))

        config = bench.corpus.text_config
        arrays = connect()
        for name, value in PLAIN_ARRAYS_SETTINGS.items():
            arrays.execute(f"set {name} = {value}")
        part = bench.admin.execute(
            "select t.id, c.id from braid_store.tenants t, braid_store.collections c where t.key = %s and c.name = %s",
            (TENANT, COLLECTION),
        ).fetchone()
        assert part is not None
        lexemes = _Lexemes(bench)
        unbound = stack.enter_context(psycopg.connect(bench.dsn, autocommit=True, prepare_threshold=0))
        ts_rank = TS_RANK.format(config=config)

        def any_word(query: Query) -> dict[str, Any]:
            return {"any": " | ".join(query.words)}

        yield {
            TS: Engine(TS, unbound, ts_rank, any_word),
            BOUND_TS: Engine(BOUND_TS, connect(), ts_rank, any_word),
            ARRAYS: Engine(
                ARRAYS,
                arrays,
                PLAIN_ARRAYS,
                lambda query: {"tenant": part[0], "collection": part[1], "lexemes": lexemes(query)},
            ),
            OURS: Engine(OURS, connect(), SEARCH, lambda query: _arguments(query, None)),
        }


def _with_word(query: Query, word: str | None) -> Query:
    return Query([word, *query.words[1:]] if word else query.words)


def _arguments(query: Query, filters: dict[str, Any] | None, count: int = 50) -> dict[str, Any]:
    return {
        "text": query.text,
        "count": count,
        "filters": None if filters is None else Jsonb(filters),
        "collection": COLLECTION,
    }


class _Lexemes:
    """Return a query's lexemes in the order in which pgbraid adds their scores; stop words only if there are no
    others."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._known: dict[str, list[str]] = {}

    def __call__(self, query: Query) -> list[str]:
        if query.text not in self._known:
            rows = self._bench.admin.execute(
                "select lexeme, kind = 'stop_word' from braid_store.tokenize(array[%s], %s, true)",
                (query.text, self._bench.corpus.text_config),
            ).fetchall()
            words = [lexeme for lexeme, is_stop_word in rows if not is_stop_word]
            self._known[query.text] = sorted(words or [lexeme for lexeme, _ in rows])
        return self._known[query.text]


def latency(bench: Bench, query_count: int) -> dict[int, float]:
    """Measure the latency; return p50 in ms by length of query."""
    unfiltered: dict[str, dict[int, list[Time]]] = {}
    filtered: dict[tuple[str, float], dict[int, list[Time]]] = {}
    restrictions = _restrictions(bench)
    with engines(bench) as all_engines, ExitStack() as stack:
        restricted = [
            Engine(
                restriction.name,
                stack.enter_context(bench.connect(READER)),
                SEARCH,
                lambda query, filters=restriction.filters: _arguments(query, filters),  # type: ignore[misc]
            )
            for restriction in restrictions
        ]
        for length in LENGTHS:
            say(f"queries of {length}")
            queries = bench.corpus.queries(length, query_count)
            asked = [(engine, queries[: MOST_ASKED.get((engine.name, length))]) for engine in all_engines.values()]
            asked += [
                (engine, [_with_word(query, restriction.word) for query in queries])
                for restriction, engine in zip(restrictions, restricted, strict=True)
            ]
            # A first run warms the caches: otherwise the first engine would read from disk what the others find in
            # memory.
            for engine, of_engine in asked:
                for query in of_engine:
                    engine.ask(query)
                engine.take_times()
            for start in range(0, query_count, ROUND):
                for engine, of_engine in asked:
                    for query in of_engine[start : start + ROUND]:
                        engine.ask(query)
            for engine in all_engines.values():
                unfiltered.setdefault(engine.name, {})[length] = engine.take_times()
            for restriction, engine in zip(restrictions, restricted, strict=True):
                key = restriction.name, restriction.share
                filtered.setdefault(key, {})[length] = engine.take_times()

    columns = [_terms(length) for length in LENGTHS]
    for title, clock in (("wall", 0), ("CPU", 1)):
        table(
            f"{title} ms, top 50, p50/p95",
            columns,
            [
                (name, [pair([times[clock] for times in row[length]]) for length in LENGTHS])
                for name, row in unfiltered.items()
            ],
        )
    print(f"({query_count} queries per length; of ts_rank_cd 20 with 8 terms, 10 under RLS)\n")
    medians = {name: {n: p50([t.wall for t in row[n]]) for n in LENGTHS} for name, row in unfiltered.items()}
    cpu = {name: {n: p50([t.cpu for t in row[n]]) for n in LENGTHS} for name, row in unfiltered.items()}
    table(
        "times as fast as, p50",
        columns,
        [
            (f"{name}, {clock}", [f"{of[name][n] / of[OURS][n]:.1f}×" if of[OURS][n] else "-" for n in LENGTHS])
            for name in (BOUND_TS, TS, ARRAYS)
            for clock, of in (("wall", medians), ("CPU", cpu))
        ],
    )
    table(
        "filtered, wall ms, p50/p95",
        columns,
        [
            (f"{name}", [pair([t.wall for t in row[length]]) for length in LENGTHS])
            for (name, _), row in filtered.items()
        ],
    )
    late = [
        f"{name}, {_terms(n)}: {number(p50([t.wall for t in row[n]]))} ms"
        for (name, _), row in filtered.items()
        for n in LENGTHS
        if p50([t.wall for t in row[n]]) > max(10, 3 * medians[OURS][n])
    ]
    print("above both 10 ms and three times unfiltered:", "; ".join(late) or "none", "\n", flush=True)
    return medians[OURS]


def _terms(length: int) -> str:
    return f"{length} term{'s' * (length > 1)}"


def _restrictions(bench: Bench) -> list[Restriction]:
    """Return the restrictions; their names give the measured share that passes."""
    db = bench.admin
    part = "from braid_store.chunks where collection_id = (select id from braid_store.collections where name = %s)"
    row = db.execute(f"select count(*) {part}", (COLLECTION,)).fetchone()
    assert row is not None
    count = row[0]
    speakers = db.execute(f"select speaker, count(*) {part} group by 1", (COLLECTION,)).fetchall()
    found = []
    for share in SHARES:
        row = db.execute(
            "select percentile_disc(0.3) within group (order by occurred_at), "
            f"percentile_disc(%s) within group (order by occurred_at) {part}",
            (0.3 + share, COLLECTION),
        ).fetchone()
        assert row is not None
        time_range = {"occurred_at": {"$gte": row[0].isoformat(), "$lt": row[1].isoformat()}}
        found.append(Restriction(f"time range, {share:.2%}", share, time_range))
    for share in SHARES:
        speaker, chunks = min(speakers, key=lambda row: abs(row[1] / count - share))
        found.append(Restriction(f"speaker, {chunks / count:.2%}", share, {"speaker": speaker}))
    for share, word in bench.corpus.marked:
        row = db.execute(f"select count(*) {part} and category = %s", (COLLECTION, word)).fetchone()
        assert row is not None
        name = f"category of a query word, {row[0] / count:.2%}"
        found.append(Restriction(name, share, {"category": word}, word))
    return found


def exactness(bench: Bench, query_count: int) -> None:
    """Compare scores with plain arrays, which do not order ties."""
    compared, wrong = 0, []
    with engines(bench) as all_engines:
        for length in LENGTHS:
            for query in bench.corpus.queries(length, query_count):
                ours = [row[2] for row in all_engines[OURS].ask(query)]
                arrays = [row[1] for row in all_engines[ARRAYS].ask(query)]
                compared += 1
                if len(ours) != len(arrays) or any(abs(a - b) > 1e-9 for a, b in zip(ours, arrays, strict=True)):
                    wrong.append(query.text)
    print(f"exactness: {compared} queries, {len(wrong)} with other scores than plain arrays", *wrong[:5], flush=True)


def phrases(bench: Bench, query_count: int) -> None:
    phrase = bench.corpus.common_phrase
    rows = []
    with engines(bench), bench.connect(READER) as ours, psycopg.connect(bench.dsn, autocommit=True) as baseline:
        statement = TS_PHRASE.format(config=bench.corpus.text_config)
        for engine, text in (
            (Engine(f'{OURS}: "{phrase}"', ours, SEARCH, lambda q: _arguments(q, None)), f'"{phrase}"'),
            (Engine(f"{TS}: {phrase}", baseline, statement, lambda q: {"text": q.text}), phrase),
        ):
            for _ in range(query_count):
                hits = len(engine.ask(Query([text])))
            times = engine.take_times()[1:]
            rows.append((engine.name, [pair([t.wall for t in times]), pair([t.cpu for t in times]), str(hits)]))
    table("phrase of two very common words", ["wall ms", "CPU ms", "rows"], rows)


SMALL = "small"
SMALL_READER = "braid_bench_small"


def small_tenant(bench: Bench, query_count: int) -> None:
    """Measure a tenant of 2,000 chunks among 1,000 tenants with chunks of their own."""
    if bench.noted("small tenants") is None:
        say("loading 1,000 tenants")
        bench.create_collection(SMALL, bench.corpus.text_config)
        bench.make_login(SMALL_READER, "braid_reader", "tenant 0")
        for place in range(1000):
            tenant = f"tenant {place}"
            bench.admin.execute("select braid.create_tenant(%s)", (tenant,))
            bench.admin.execute("select set_config('braid.tenant', %s, false)", (tenant,))
            for start in range(0, 2000 if place == 0 else 20, 20):
                first = (start if place == 0 else place * 20) % (bench.corpus.size - 20)
                ingest(bench.admin, list(bench.corpus.documents(first, first + 20)), SMALL)
        bench.admin.execute("select set_config('braid.tenant', '', false)")
        maintain(bench.admin)
        bench.admin.execute("vacuum")
        bench.note("small tenants", {})
    rows = []
    with bench.connect(SMALL_READER, "tenant 0") as db:
        # 10 is the default of match_count.
        for count in (10, 50):
            engine = Engine(OURS, db, SEARCH, partial(_small_arguments, count))
            cells = []
            for length in LENGTHS:
                for query in bench.corpus.queries(length, query_count):
                    engine.ask(query)
                cells.append(pair([times.wall for times in engine.take_times()]))
            rows.append((f"wall ms, top {count}, p50/p95", cells))
    table("a tenant of 2,000 chunks among 1,000 tenants", [_terms(n) for n in LENGTHS], rows)


def _small_arguments(count: int, query: Query) -> dict[str, Any]:
    return {**_arguments(query, None, count), "collection": SMALL}
