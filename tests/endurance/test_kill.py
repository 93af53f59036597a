"""Kill a server at any moment of ingesting and merging. It comes back with all committed documents and a consistent
index."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from functools import partial
from typing import Any

import psycopg
import pytest

from endurance.traffic import (
    Document,
    assert_as_if_loaded_afresh,
    differences,
    document,
    is_lost,
    maintain,
    queries,
    stored_documents,
    write,
)
from pgbraid import embedded
from pgbraid.install import install
from support import durable_server
from support.bm25_model import Bm25Model, Tokenizer, stored_chunks
from support.calls import full_text, one, upsert
from support.examples import examples
from support.servers import connect_again, kill_sleeping
from support.waiting import PATIENCE, until

Connection = psycopg.Connection[Any]
State = dict[str, Document]
ROUNDS = examples(6)
WRITERS = 3


class Writer:
    """Write documents of its own until the connection is lost."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._rng = random.Random(seed)
        self._version = 0
        self.committed: State = {}
        # The state that the last call tried to make; it is unknown whether it was committed.
        self.attempted: State = {}
        self.calls = 0
        self.problems: list[BaseException] = []

    def run(self, db: Connection) -> None:
        rng = self._rng
        try:
            while True:
                self._version += 1
                self.attempted = dict(self.committed)
                if self.committed and rng.random() < 0.2:
                    external_id = rng.choice(sorted(self.committed))
                    del self.attempted[external_id]
                    db.execute("select braid.delete_document(%s)", (external_id,))
                else:
                    numbers = rng.sample(range(60), rng.choice([1, 1, 3, 30]))
                    ids = [f"own{self._seed}-{number}" for number in numbers]
                    documents = {i: document(rng, i, f"w{self._seed}v{self._version}") for i in ids}
                    self.attempted.update(documents)
                    write(db, list(documents.values()))
                self.committed = self.attempted
                self.calls += 1
        except BaseException as error:
            if not is_lost(db, error):
                self.problems.append(error)
        finally:
            db.close()

    def owns(self, external_id: str) -> bool:
        return external_id.startswith(f"own{self._seed}-")


class Maintainer:
    def __init__(self) -> None:
        self.merges = 0
        self.problems: list[BaseException] = []

    def run(self, db: Connection) -> None:
        try:
            while True:
                self.merges += maintain(db)
        except BaseException as error:
            if not is_lost(db, error):
                self.problems.append(error)
        finally:
            db.close()


def assert_whole(db: Connection, writers: list[Writer]) -> None:
    """Check that each writer finds its committed documents; its last call was made in full or not at all."""
    stored = stored_documents(db)
    for writer in writers:
        own = {external_id: found for external_id, found in stored.items() if writer.owns(external_id)}
        assert own in (writer.committed, writer.attempted)
        writer.committed = own
    row = db.execute("select braid.status('default') -> 'collections' -> 0").fetchone()
    assert row is not None
    chunk_count = sum(len(found["chunks"]) for found in stored.values())
    assert (row[0]["documents"], row[0]["chunks"]) == (len(stored), chunk_count)
    model = Bm25Model(stored_chunks(db), Tokenizer(db))
    wrong: dict[str, Any] = {
        query: differences(full_text(db, query), [(*hit,) for hit in model.search(query)]) for query in queries(4)
    }
    wrong["check_index"] = db.execute("select * from braid.check_index('default')").fetchall()
    assert not any(wrong.values()), "\n".join(f"{where}: {line}" for where, lines in wrong.items() for line in lines)


def test_killed_again_and_again(pg_version: int) -> None:
    with durable_server(pg_version) as server:
        install(server.dsn)
        kill_again_and_again(server, ROUNDS, seed=1)


def is_enough(writers: list[Writer], maintainer: Maintainer, number: int, *, is_last: bool) -> bool:
    """Return whether a round has done enough, or something went wrong."""
    if maintainer.problems or any(writer.problems for writer in writers):
        return True
    return all(writer.calls > number for writer in writers) and (maintainer.merges > 0 or not is_last)


def kill_again_and_again(server: embedded.Server, rounds: int, seed: int) -> None:
    dsn, data_dir = server.dsn, server.data_dir
    rng = random.Random(seed)
    writers = [Writer(WRITERS * seed + number) for number in range(WRITERS)]
    maintainer = Maintainer()
    workers: list[Writer | Maintainer] = [*writers, maintainer]
    for number in range(rounds):
        connections = [connect_again(dsn) for _ in workers]
        # Each worker's backend is killed in turn, and sometimes the postmaster, which ends its children.
        victim = connections[number % len(workers)].info.backend_pid
        if number % 5 == 4:
            victim = embedded.ensure_running(data_dir).pid
        threads = [
            threading.Thread(target=worker.run, args=(connection,))
            for worker, connection in zip(workers, connections, strict=True)
        ]
        for thread in threads:
            thread.start()
        # The condition makes a slow machine do as much as a fast one, and requires a merge in the end.
        until(partial(is_enough, writers, maintainer, number, is_last=number == rounds - 1))
        time.sleep(rng.uniform(0, 0.6))
        os.kill(victim, signal.SIGKILL)
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        assert not [problem for worker in workers for problem in worker.problems]
        embedded.ensure_running(data_dir)
        with connect_again(dsn) as db:
            assert_whole(db, writers)
    assert all(writer.calls >= rounds for writer in writers)
    assert maintainer.merges > 0
    with connect_again(dsn) as db:
        assert_as_if_loaded_afresh(db, "fresh")
        maintain(db)
        assert_whole(db, writers)


# maintain() writes these while it lists metadata: the lists, the changes that it has seen, and its progress.
LISTING = ("update on braid_store.segments",)
LISTING_ANEW = ("insert on braid_store.metadata_lists",)
LISTED = 1500
CHANGED = 40


@pytest.mark.any_version
def test_killed_while_it_lists_metadata(pg_version: int) -> None:
    with durable_server(pg_version) as server:
        install(server.dsn)
        numbers = {str(n): n % 5 for n in range(LISTED)}
        with connect_again(server.dsn) as db:
            upsert(db, [{"external_id": i, "content": "alpha", "metadata": {"n": n}} for i, n in numbers.items()])
            db.execute("create function pause() returns trigger language plpgsql as 'begin perform pg_sleep(600); end'")
        for place in LISTING:
            kill_in_maintenance(server, place)
            assert_passes(server, numbers)
        assert listed(server) == LISTED
        assert_passes(server, numbers)
        changed = {str(n): 7 for n in range(0, LISTED, LISTED // CHANGED)}
        with connect_again(server.dsn) as db:
            for external_id, number in changed.items():
                db.execute("select braid.update_metadata(%s, %s)", (external_id, f'{{"n": {number}}}'))
        for place in LISTING_ANEW:
            kill_in_maintenance(server, place)
            assert_passes(server, numbers | changed)
        assert listed(server) == LISTED
        assert_passes(server, numbers | changed)


def kill_in_maintenance(server: embedded.Server, place: str) -> None:
    """Kill the backend of maintain() once it has come to a place."""
    with connect_again(server.dsn) as db:
        db.execute(f"create trigger pause after {place} execute function pause()".encode())
    maintainer = Maintainer()
    thread = threading.Thread(target=maintainer.run, args=(connect_again(server.dsn),))
    thread.start()
    kill_sleeping(server.dsn)
    thread.join(PATIENCE)
    assert not thread.is_alive() and not maintainer.problems
    with connect_again(server.dsn) as db:
        db.execute(f"drop trigger pause on {place.split()[-1]}".encode())


def listed(server: embedded.Server) -> int:
    """Return how many chunks a call of maintain() lists."""
    with connect_again(server.dsn) as db:
        return int(one(db, "select braid.maintain('10 seconds') ->> 'chunks_listed'"))


def assert_passes(server: embedded.Server, numbers: dict[str, int]) -> None:
    with connect_again(server.dsn) as db:
        for number in {*numbers.values()}:
            found = {external_id for external_id, _, _ in full_text(db, "alpha", filters={"n": number})}
            assert found == {i for i, n in numbers.items() if n == number}
        assert db.execute("select * from braid.check_index('default')").fetchall() == []
