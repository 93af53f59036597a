"""The second of two concurrent sessions waits, and then finds the state that the first one left."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.isolation.world import Connection, World

from support.calls import one
from support.waiting import PATIENCE


class Background:
    """Run a statement in its own session, which may have to wait."""

    def __init__(self, world: World, statement: str, tenant: str = "alpha") -> None:
        self.connection = world.connect("postgres", braid__tenant=tenant, statement_timeout="3min")
        self.result: Any = None
        self.error: psycopg.Error | None = None
        self._world = world
        self._thread = threading.Thread(target=self._run, args=(statement,))
        self._thread.start()

    def _run(self, statement: str) -> None:
        try:
            self.result = self.connection.execute(statement).fetchall()
        except psycopg.Error as error:
            self.error = error

    def waits(self) -> bool:
        """Tell whether another session blocks it; false once it has ended."""
        while self._thread.is_alive():
            waiting = "select wait_event_type = 'Lock' from pg_stat_activity where pid = %s"
            if one(self._world.admin, waiting, self.connection.info.backend_pid):
                return True
            self._thread.join(0.01)
        return False

    def finish(self) -> Any:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self.error:
            raise self.error
        return self.result


@pytest.fixture(scope="module", autouse=True)
def patient(world: World) -> None:
    """Let the second session wait until the first has committed: no lock attempt times out meanwhile and lets others
    pass."""
    functions = world.admin.execute(
        "select oid::regprocedure::text from pg_proc where pronamespace = 'braid_store'::regnamespace"
        " and proname in ('lock_collection', 'lock_part', 'insert_collection', 'insert_tenant')"
    ).fetchall()
    assert len(functions) == 4
    for (function,) in functions:
        world.admin.execute(f"alter function {function} set lock_timeout = '3min'")


@pytest.fixture
def scratch(world: World) -> Iterator[str]:
    """Yield a collection for one test alone."""
    world.admin.execute("select braid.create_collection('scratch', dimensions => 3, embedding_model => 'test')")
    yield "scratch"
    world.admin.execute("select braid.drop_collection('scratch')")


@pytest.fixture
def first(world: World, scratch: str) -> Iterator[Connection]:
    # Close this session before the collection is dropped, because the drop would wait for it.
    connection = world.connect("postgres", braid__tenant="alpha")
    connection.autocommit = False
    yield connection
    connection.rollback()


def upsert(external_id: str, content: str = "heron") -> str:
    return f"select (braid.upsert_document('{external_id}', '{content}', collection => 'scratch')).status"


def count(world: World, word: str = "heron") -> int:
    with world.admin.transaction():
        world.admin.execute("set local braid.tenant = 'alpha'")
        return int(
            one(world.admin, "select count(*) from braid.full_text_search(%s, 1000, collection => 'scratch')", word)
        )


def rows_left(world: World, collection_id: int) -> int:
    """Return how many rows of a collection are left in all tables."""
    total = 0
    for table in world.admin.execute("select unnest(braid_store.collection_tables())").fetchall():
        total += one(
            world.admin, f"select count(*) from braid_store.{table[0]} where collection_id = %s", collection_id
        )
    return total


def collection_id(world: World) -> int:
    return int(one(world.admin, "select id from braid_store.collections where name = 'scratch'"))


def test_a_clear_waits_for_writers_and_takes_what_they_wrote(world: World, first: Connection, scratch: str) -> None:
    first.execute(upsert("a"))
    clear = Background(world, "select braid.clear_collection('scratch')")
    assert clear.waits()
    first.commit()
    assert clear.finish() == [(1,)]
    assert rows_left(world, collection_id(world)) == 0


def test_a_writer_waits_for_a_clear(world: World, first: Connection, scratch: str) -> None:
    world.admin.execute("select set_config('braid.tenant', 'alpha', false)")
    world.admin.execute(upsert("a"))
    world.admin.execute("reset braid.tenant")
    first.execute("select braid.clear_collection('scratch')")
    writer = Background(world, upsert("a"))
    assert writer.waits()
    first.commit()
    assert writer.finish() == [("inserted",)]
    assert count(world) == 1


def test_another_tenant_is_not_kept_waiting(world: World, first: Connection, scratch: str) -> None:
    first.execute("select braid.clear_collection('scratch')")
    other = Background(world, upsert("a"), tenant="beta")
    assert other.finish() == [("inserted",)]


def test_a_drop_waits_for_writers_and_leaves_nothing(world: World, first: Connection, scratch: str) -> None:
    dropped = collection_id(world)
    first.execute(upsert("a"))
    drop = Background(world, "select braid.drop_collection('scratch')")
    assert drop.waits()
    late = Background(world, upsert("b"))
    assert late.waits()
    first.commit()
    assert drop.finish() == [(True,)]
    with pytest.raises(psycopg.errors.UndefinedObject, match="dropped") as caught:
        late.finish()
    assert caught.value.diag.message_hint
    world.admin.execute("select braid.maintain()")
    assert rows_left(world, dropped) == 0


def test_two_drops_and_two_creations_agree(world: World, first: Connection, scratch: str) -> None:
    first.execute("select braid.drop_collection('scratch')")
    second = Background(world, "select braid.drop_collection('scratch')")
    created = Background(world, "select braid.create_collection('scratch', dimensions => 3, embedding_model => 'test')")
    assert second.waits() and created.waits()
    first.commit()
    assert second.finish() == [(False,)]
    assert created.finish() == [(collection_id(world),)]


@pytest.mark.parametrize(
    "statement",
    [
        "select braid.create_tenant('gamma')",
        "select braid.create_collection('delta')",
        "select braid.create_collection('epsilon', dimensions => 5, embedding_model => 'new')",
    ],
)
def test_the_same_creation_twice_gives_one(world: World, first: Connection, statement: str) -> None:
    created = first.execute(statement).fetchall()
    second = Background(world, statement)
    assert second.waits()
    first.commit()
    assert second.finish() == created


def test_two_batches_of_the_same_documents_in_different_order(world: World, scratch: str) -> None:
    def batch(numbers: Any, word: str) -> str:
        documents = json.dumps([{"external_id": f"d{n}", "content": f"heron {word} {n}"} for n in numbers])
        return f"select count(*) from braid.upsert_documents('{documents}', 'scratch')"

    for round_number in range(3):
        sessions = [
            Background(world, batch(numbers, f"{word}{round_number}"))
            for numbers, word in (
                (range(30), "one"),
                (range(29, -1, -1), "two"),
                (range(15, 45), "three"),
                (range(44, 14, -1), "four"),
            )
        ]
        for session in sessions:
            session.finish()
        assert count(world) == 45
    # Every index row belongs to a live chunk or has a tombstone.
    assert world.admin.execute(
        "select (select count(*) from braid_store.chunks where collection_id = %(id)s)"
        " = (select count(*) from braid_store.segment_chunks where collection_id = %(id)s)"
        " - (select count(*) from braid_store.tombstones where collection_id = %(id)s)",
        {"id": collection_id(world)},
    ).fetchone() == (True,)


def test_a_document_replaced_while_it_is_deleted(world: World, first: Connection, scratch: str) -> None:
    first.execute(upsert("a"))
    first.commit()
    first.execute("select braid.delete_document('a', 'scratch')")
    writer = Background(world, upsert("a", "pelican"))
    assert writer.waits()
    first.commit()
    assert writer.finish() == [("inserted",)]
    assert (count(world, "heron"), count(world, "pelican")) == (0, 1)


def test_a_delete_during_a_merge_is_not_undone(world: World, first: Connection, scratch: str) -> None:
    for number in range(12):
        first.execute(upsert(f"d{number}"))
        first.commit()
    first.execute("select braid.delete_document('d3', 'scratch')")
    maintained = Background(world, "select braid.maintain()")
    maintained.finish()
    first.commit()
    assert count(world) == 11
    Background(world, "select braid.maintain()").finish()
    assert count(world) == 11


def test_maintenance_passes_over_a_collection_that_is_dropped_meanwhile(
    world: World, first: Connection, scratch: str
) -> None:
    first.execute(upsert("a"))
    first.commit()
    first.execute("select braid.drop_collection('scratch')")
    maintained = Background(world, "select braid.maintain()")
    if maintained.waits():
        first.commit()
    assert maintained.finish()[0][0]["complete"]


def test_a_search_sees_one_state_of_the_index(world: World, first: Connection, scratch: str) -> None:
    """A search sees one state of the index: while another session replaces every document and merges, the number of
    results stays the same."""
    numbers = range(40)
    first.execute(
        "select count(*) from braid.upsert_documents(%s, 'scratch')",
        (json.dumps([{"external_id": f"d{n}", "content": "heron"} for n in numbers]),),
    )
    first.commit()
    stop = threading.Event()

    def replace() -> None:
        writer = psycopg.connect(world.dsn, autocommit=True)
        writer.execute("set braid.tenant = 'alpha'")
        round_number = 0
        while not stop.is_set():
            round_number += 1
            for n in numbers:
                if not stop.is_set():
                    writer.execute(upsert(f"d{n}", f"heron {round_number}"))
            writer.execute("select braid.maintain('1 second')")
        writer.close()

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        found = [count(world) for _ in range(60)]
    finally:
        stop.set()
        thread.join()
    assert set(found) == {40}
    assert count(world) == 40
