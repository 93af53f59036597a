"""Make, rebuild and kill vector shards while writers and readers go on."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from endurance.traffic import is_lost
from pgbraid import embedded
from pgbraid.install import install
from support import durable_server
from support.examples import rounds
from support.nearest import (
    Connection,
    Vector,
    assert_nearest,
    assert_shard_tables,
    maintain,
    maintain_once,
    replace_embeddings,
    search,
    serving_shard,
    set_threshold,
    shards,
    store,
)
from support.servers import connect_again
from support.waiting import PATIENCE

DIMENSIONS = 8
# The test waits for this number of serving shards, calls of each reader or writer, and checks of two sessions' work.
SHARDS, CALLS, LOOKS = rounds(4), 4 * rounds(4), 5 * rounds(4)
Vectors = dict[str, Vector]


def made_up(rng: np.random.Generator, external_ids: list[str]) -> Vectors:
    return {i: rng.standard_normal(DIMENSIONS).astype(np.float32) for i in external_ids}


def prepare(db: Connection, count: int) -> Vectors:
    """Store documents that nobody changes; return their vectors."""
    db.execute("select braid.create_collection('c', dimensions => %s, distance => 'l2')", (DIMENSIONS,))
    set_threshold(db, 500, DIMENSIONS)
    fixed = made_up(np.random.default_rng(0), [f"fixed{n:05}" for n in range(count)])
    store(db, fixed, "c")
    return fixed


class Writer:
    """Write, replace and delete documents of its own until told to stop or disconnected."""

    def __init__(self, seed: int) -> None:
        self.name = f"own{seed}"
        self._rng = np.random.default_rng(seed + 1)
        self.committed: Vectors = {}
        # The state that the last call tried to make.
        self.attempted: Vectors = {}
        self.calls = 0

    def run(self, db: Connection, is_over: threading.Event) -> None:
        rng = self._rng
        while not is_over.is_set():
            self.attempted = dict(self.committed)
            there = sorted(self.committed)
            action = rng.random()
            if action < 0.3 and there:
                gone = list(rng.choice(there, min(len(there), 10), replace=False))
                for external_id in gone:
                    del self.attempted[external_id]
                db.execute("select braid.delete_documents(%s, 'c')", (gone,))
            elif action < 0.6 and there:
                chosen = list(rng.choice(there, min(len(there), 15), replace=False))
                written = made_up(rng, chosen)
                self.attempted.update(written)
                replace_embeddings(db, written, "c")
            else:
                written = made_up(rng, [f"{self.name}-{n}" for n in rng.integers(0, 300, 20)])
                self.attempted.update(written)
                store(db, written, "c")
            self.committed = self.attempted
            self.calls += 1


class Reader:
    """Check that searches always find the unchanged documents, in the right order, and measure all others correctly."""

    def __init__(self, seed: int, fixed: Vectors) -> None:
        self._rng = np.random.default_rng(seed)
        self._fixed = fixed
        self.modes: set[str] = set()
        self.calls = 0

    def run(self, db: Connection, is_over: threading.Event) -> None:
        while not is_over.is_set():
            query = self._rng.standard_normal(DIMENSIONS).astype(np.float32)
            hits, mode, _ = search(db, query, "c", 10_000)
            names = [external_id for external_id, _ in hits]
            assert len(names) == len(set(names))
            assert [value for _, value in hits] == sorted((value for _, value in hits), reverse=True)
            found = [(external_id, value) for external_id, value in hits if external_id in self._fixed]
            assert_nearest(found, self._fixed, query, "l2", len(self._fixed))
            self.modes.add(mode)
            hits, mode, _ = search(db, query, "c", 10)
            assert len(hits) == 10
            self.modes.add(mode)
            self.calls += 1


def together(dsn: str, workers: list[Callable[[Connection, threading.Event], None]], work: Callable[[], None]) -> None:
    """Run the workers, each with a connection, while `work` is done; raise an error of any of them."""
    is_over = threading.Event()
    problems: list[BaseException] = []

    def run(worker: Callable[[Connection, threading.Event], None]) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                connection.execute(f"set statement_timeout = '{PATIENCE} s'")
                worker(connection, is_over)
        except BaseException as error:
            problems.append(error)
            is_over.set()

    threads = [threading.Thread(target=run, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        work()
    finally:
        is_over.set()
        for thread in threads:
            thread.join(PATIENCE)
    if problems:
        raise problems[0]


def check(db: Connection, vectors: Vectors) -> None:
    query = np.ones(DIMENSIONS, np.float32)
    hits, mode, _ = search(db, query, "c", 10_000)
    assert mode == "exact"
    assert_nearest(hits, vectors, query, "l2", 10_000)
    assert db.execute("select count(*) from braid.check_index('c')").fetchone() == (0,)
    # Each vector belongs to an existing chunk.
    row = db.execute(
        "select count(*) from braid_store.chunk_vectors v where not exists"
        " (select from braid_store.chunks c where c.tenant_id = v.tenant_id and c.id = v.chunk_id)"
    ).fetchone()
    assert row == (0,)


def upkeep(db: Connection, budget: str) -> dict[str, Any]:
    """Run one short call of maintain(), and a longer one if an index needs it; return the first call's report."""
    done = maintain_once(db, budget)
    if "seconds_needed" in done:
        maintain_once(db, f"{done['seconds_needed']} seconds")
    return done


def test_writers_and_readers_while_shards_are_made(db: Connection, dsn: str) -> None:
    fixed = prepare(db, 900)
    writers = [Writer(1), Writer(2)]
    readers = [Reader(1, fixed), Reader(2, fixed)]
    served: set[int] = set()

    def fewest_calls() -> int:
        return min(*(writer.calls for writer in writers), *(reader.calls for reader in readers))

    def make_shards() -> None:
        started = time.monotonic()
        number = 0
        while len(served) < SHARDS or fewest_calls() < CALLS:
            upkeep(db, "50 ms")
            shard = serving_shard(db, "c")
            if shard is not None and shard not in served:
                served.add(shard)
                number += 1
                db.execute("select braid.set_collection('c', jsonb_build_object('hnsw_m', %s::int))", (4 + number % 9,))
            assert time.monotonic() - started < PATIENCE, shards(db, "c")

    together(dsn, [*(writer.run for writer in writers), *(reader.run for reader in readers)], make_shards)
    assert set().union(*(reader.modes for reader in readers)) >= {"exact", "hnsw"}
    expected = fixed | writers[0].committed | writers[1].committed
    check(db, expected)
    maintain(db)
    maintain(db)
    check(db, expected)
    assert_shard_tables(db, {f"vectors_{serving_shard(db, 'c')}"})


def test_two_sessions_in_maintain_at_once(db: Connection, dsn: str) -> None:
    """Neither session fails nor makes a second shard, while a third one writes."""
    fixed = prepare(db, 900)
    writer = Writer(3)

    def maintain_often(connection: Connection, is_over: threading.Event) -> None:
        while not is_over.is_set():
            upkeep(connection, "20 ms")

    def wait() -> None:
        started = time.monotonic()
        looks = 0
        while looks < LOOKS or serving_shard(db, "c") is None:
            looks += 1
            time.sleep(0.05)
            states = [state for _, state in shards(db, "c")]
            assert states.count("serving") <= 1
            assert states.count("copying") + states.count("indexing") <= 1
            assert time.monotonic() - started < PATIENCE

    together(dsn, [maintain_often, maintain_often, writer.run], wait)
    maintain(db)
    check(db, fixed | writer.committed)


def test_killed_while_shards_are_made(pg_version: int) -> None:
    with durable_server(pg_version) as server:
        install(server.dsn)
        kill_while_shards_are_made(server)


def kill_while_shards_are_made(server: embedded.Server) -> None:
    dsn = server.dsn
    rng = random.Random(1)
    with connect_again(dsn) as db:
        fixed = prepare(db, 900)
    writer = Writer(4)
    for number in range(rounds(4)):
        connections: list[Connection] = []
        problems: list[BaseException] = []

        def until_lost(work: Callable[[Connection], Any]) -> threading.Thread:
            connection = connect_again(dsn)
            connections.append(connection)  # noqa: B023

            def run() -> None:
                try:
                    while True:
                        work(connection)
                except BaseException as error:
                    if not is_lost(connection, error):
                        problems.append(error)  # noqa: B023
                finally:
                    connection.close()

            thread = threading.Thread(target=run)
            thread.start()
            return thread

        with connect_again(dsn) as db:
            # A new hnsw_m makes maintenance rebuild the shard, often while the old one serves.
            db.execute("select braid.set_collection('c', jsonb_build_object('hnsw_m', %s::int))", (4 + number,))
        threads = [
            until_lost(lambda connection: upkeep(connection, "10 ms")),
            until_lost(lambda connection: writer.run(connection, threading.Event())),
        ]
        time.sleep(rng.uniform(0.05, 0.6))
        victim = connections[0].info.backend_pid
        if number % 3 == 2:
            victim = embedded.ensure_running(server.data_dir).pid
        os.kill(victim, signal.SIGKILL)
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        assert problems == []
        embedded.ensure_running(server.data_dir)
        with connect_again(dsn) as db:
            hits, _, _ = search(db, [0] * DIMENSIONS, "c", 10_000)
            own = {external_id for external_id, _ in hits} - set(fixed)
            assert own in (set(writer.committed), set(writer.attempted))
            stored = dict(hits)
            # The last call was made in full or not at all.
            is_done = all(
                stored.get(i) == pytest.approx(1 / (1 + float(np.linalg.norm(vector))), abs=1e-5)
                for i, vector in writer.attempted.items()
            )
            writer.committed = writer.attempted if is_done and own == set(writer.attempted) else writer.committed
            check(db, fixed | writer.committed)
    with connect_again(dsn) as db:
        maintain(db)
        maintain(db)
        check(db, fixed | writer.committed)
        assert_shard_tables(db, {f"vectors_{serving_shard(db, 'c')}"})
