"""Run eight writers, four readers and a maintainer at once: there is no error and no wrong answer, and in the end
the index equals a rebuilt one."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from endurance.traffic import (
    SEARCH,
    Document,
    assert_as_if_loaded_afresh,
    assert_consistent,
    document,
    maintain,
    queries,
    rankings,
    stored_documents,
    write,
)
from pgbraid.install import install
from support import durable_server
from support.examples import examples
from support.waiting import PATIENCE

Connection = psycopg.Connection[Any]
WRITERS, READERS = 8, 4
# The test runs until each action has been done this often.
EACH, MOST_SECONDS = examples(24), 4 * PATIENCE
EXPECTED = ("own", "shared", "delete own", "delete shared", "rolled back", "metadata", "search", "merge")


def segment_ids(db: Connection) -> set[int]:
    return {number for (number,) in db.execute("select id from braid_store.segments").fetchall()}


class Traffic:
    """Run threads for a while; the first error ends all of them."""

    def __init__(self, dsn: str, writer_login: str, reader_login: str) -> None:
        self._dsn, self._writer_login, self._reader_login = dsn, writer_login, reader_login
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self.problems: list[BaseException] = []
        self.done: Counter[str] = Counter()
        # Each writer's own documents in their last version; None is deleted.
        self.own: list[dict[str, Document | None]] = [{} for _ in range(WRITERS)]

    def run(self) -> None:
        targets: list[tuple[Callable[..., None], tuple[int, ...]]] = [
            *((self._write, (seed,)) for seed in range(WRITERS)),
            *((self._read, (seed,)) for seed in range(READERS)),
            (self._read_an_old_snapshot, ()),
            (self._maintain, ()),
        ]
        threads = [threading.Thread(target=self._guard, args=(target, *arguments)) for target, arguments in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _guard(self, target: Callable[..., None], *arguments: int) -> None:
        try:
            target(*arguments)
        except BaseException as error:
            self.problems.append(error)

    def _goes_on(self) -> bool:
        seconds = time.monotonic() - self._started
        return not self.problems and seconds < MOST_SECONDS and not self.is_enough()

    def is_enough(self) -> bool:
        return all(self.done[what] > EACH for what in EXPECTED) and self.done["old snapshot after a merge"] > 0

    def _count(self, what: str) -> None:
        with self._lock:
            self.done[what] += 1

    def _connect(self, login: str) -> Connection:
        connection = psycopg.connect(make_conninfo(self._dsn, user=login), autocommit=True)
        # A longer wait would be in vain.
        connection.execute(f"set statement_timeout = '{PATIENCE}s'")
        return connection

    def _write(self, seed: int) -> None:
        rng = random.Random(seed)
        own = self.own[seed]
        version = 0
        with self._connect(self._writer_login) as db:
            while self._goes_on():
                version += 1
                marker = f"w{seed}v{version}"
                what = rng.choices(
                    ["own", "shared", "delete own", "delete shared", "rolled back", "metadata"], [4, 4, 1, 1, 1, 1]
                )[0]
                shared = [f"shared{number}" for number in rng.sample(range(150), rng.choice([1, 1, 2, 5, 20]))]
                mine = [f"own{seed}-{number}" for number in rng.sample(range(30), rng.choice([1, 1, 2, 5, 10]))]
                if what == "own":
                    documents = {external_id: document(rng, external_id, marker) for external_id in mine}
                    write(db, list(documents.values()))
                    own.update(documents)
                elif what == "shared":
                    write(db, [document(rng, external_id, marker) for external_id in shared])
                elif what == "delete own":
                    db.execute("select braid.delete_document(%s)", (mine[0],))
                    own[mine[0]] = None
                elif what == "delete shared":
                    db.execute("select braid.delete_document(%s)", (shared[0],))
                elif what == "rolled back":
                    with db.transaction(force_rollback=True):
                        write(db, [document(rng, external_id, marker) for external_id in mine])
                        db.execute("select braid.delete_document(%s)", (mine[0],))
                else:
                    db.execute("select braid.update_metadata(%s, '{}')", (shared[0],))
                self._count(what)

    def _read(self, seed: int) -> None:
        rng = random.Random(f"reader {seed}")
        with self._connect(self._reader_login) as db:
            while self._goes_on():
                query = rng.choice(queries())
                assert_consistent(db.execute(SEARCH, (query, 10_000, "default")).fetchall(), query)
                self._count("search")

    def _read_an_old_snapshot(self) -> None:
        """Check that an old snapshot's results stay the same while other sessions merge and delete."""
        with self._connect(self._reader_login) as db, psycopg.connect(self._dsn, autocommit=True) as other:
            while self._goes_on():
                with db.transaction():
                    db.execute("set transaction isolation level repeatable read")
                    before = rankings(db)
                    segments = segment_ids(other)
                    until = time.monotonic() + 5
                    while self._goes_on() and time.monotonic() < until:
                        assert rankings(db) == before
                        if segments - segment_ids(other) and any(before):
                            self._count("old snapshot after a merge")

    def _maintain(self) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as db:
            while self._goes_on():
                merges = maintain(db)
                with self._lock:
                    self.done["merge"] += merges
                time.sleep(0.1)


def test_many_at_once(pg_version: int) -> None:
    with durable_server(pg_version) as server:
        install(server.dsn)
        with psycopg.connect(server.dsn, autocommit=True) as db:
            write_and_read_at_once(db, server.dsn)


def write_and_read_at_once(
    db: Connection, dsn: str, definitions: Connection | None = None, names: tuple[str, str] = ("writer", "reader")
) -> None:
    """Write and read at once with new logins of these names. `definitions` connects to the server where definitions
    are changed, if it is another server."""
    for login, role in zip(names, ("writer", "reader"), strict=True):
        (definitions or db).execute(f"create role {login} login in role braid_{role}".encode())
        (definitions or db).execute("select braid.add_tenant_member('default', %s)", (login,))
    rng = random.Random("before")
    write(db, [document(rng, f"shared{number}", "w0v0") for number in range(0, 150, 2)])
    traffic = Traffic(dsn, *names)
    traffic.run()
    assert not traffic.problems, traffic.problems
    assert traffic.is_enough(), traffic.done

    stored = stored_documents(db)
    for own in traffic.own:
        for external_id, written in own.items():
            assert stored.get(external_id) == written
    assert_as_if_loaded_afresh(db, "fresh", definitions)
    maintain(db)
    assert_as_if_loaded_afresh(db, "fresh again", definitions)
