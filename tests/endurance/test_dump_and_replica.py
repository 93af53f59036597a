"""Test that a dump restored by a database's owner, and a logical subscriber, give the same rankings."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from endurance.traffic import assert_same_rankings, document, maintain, rankings, write
from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install
from support import durable_server
from support.replication import let_the_server_connect_to_itself
from support.waiting import until

Connection = psycopg.Connection[Any]
IDENTITIES = """
select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and a.attidentity <> '' order by 1
"""
OWNERS = r"""
select oid::regprocedure::text, split_part(proowner::regrole::text, '_', 2), prosecdef,
  regexp_replace(proacl::text, 'braid_(owner|definer)_\w+', '\1', 'g') from pg_proc
where pronamespace in ('braid'::regnamespace, 'braid_calls'::regnamespace, 'braid_store'::regnamespace) order by 1
"""
TABLES = """
select oid::regclass::text from pg_class
where relnamespace = 'braid_store'::regnamespace and relkind in ('r', 'p') and not relispartition
  and relname not like '%yoyo%' and relname <> 'installation' and relpersistence = 'p'
"""


@pytest.fixture
def own_server(pg_version: int) -> Iterator[embedded.Server]:
    """Yield a server with a write-ahead log that a subscriber can read."""
    with durable_server(pg_version) as server:
        with psycopg.connect(server.dsn, autocommit=True) as db:
            db.execute("alter system set wal_level = logical")
        embedded.stop(server.data_dir)
        yield embedded.ensure_running(server.data_dir, pg_version)


def connect(dsn: str) -> Connection:
    return psycopg.connect(dsn, autocommit=True)


def write_some(db: Connection, seed: int) -> None:
    """Write inserts, replacements and deletes, and merge some of them."""
    rng = random.Random(seed)
    for batch in range(12):
        numbers = rng.sample(range(200), 15)
        write(db, [document(rng, f"d{number}", f"v{seed}x{batch}") for number in numbers])
        db.execute("select braid.delete_document(%s)", (f"d{rng.randrange(200)}",))
        if batch == 6:
            maintain(db)


def highest_numbers(db: Connection) -> dict[str, int]:
    """Return the highest number of each generated column that has any."""
    highest = {}
    for table, column in db.execute(IDENTITIES).fetchall():
        row = db.execute(f"select max({column}) from braid_store.{table}").fetchone()
        if row is not None and row[0] is not None:
            highest[table] = row[0]
    return highest


def test_an_owner_without_superuser_dumps_and_restores(
    own_server: embedded.Server, pg_version: int, tmp_path: Path
) -> None:
    with connect(own_server.dsn) as admin:
        admin.execute("create role app_owner login createrole")
        for name in ("source", "restored"):
            admin.execute(f"create database {name} owner app_owner")
            with connect(own_server.dsn_for(name)) as db:
                db.execute("create extension vector")
    source, restored = (own_server.dsn_for(name, "app_owner") for name in ("source", "restored"))
    install(source)
    with connect(source) as db:
        write_some(db, 1)
        expected = rankings(db)
        highest = highest_numbers(db)
        assert {"documents", "chunks", "segments"} <= highest.keys()
    assert any(len(hits) > 10 for hits in expected)

    programs, file = installed_programs(pg_version), tmp_path / "dump"
    subprocess.run([programs / "pg_dump", "--format=custom", "--file", file, source], check=True)
    # The extension exists already, and a superuser owns it.
    listed = subprocess.run([programs / "pg_restore", "--list", file], check=True, capture_output=True, text=True)
    (tmp_path / "list").write_text(
        "".join(line for line in listed.stdout.splitlines(keepends=True) if " EXTENSION " not in line)
    )
    ran = subprocess.run(
        [programs / "pg_restore", "--use-list", tmp_path / "list", "--dbname", restored, file],
        capture_output=True,
        text=True,
    )
    # Only a superuser can give a function to a role that may not create in its schema; the installer repairs this.
    failed = re.findall(r"Command was: (.*)", ran.stderr)
    assert failed, ran.stderr
    for command in failed:
        assert re.fullmatch(r"ALTER FUNCTION .* OWNER TO braid_definer_.*;", command), ran.stderr
    assert install(restored).functions_applied
    with connect(source) as before, connect(restored) as after:
        assert after.execute(OWNERS).fetchall() == before.execute(OWNERS).fetchall()
    with connect(restored) as db:
        assert_same_rankings(rankings(db), expected)
        assert highest_numbers(db) == highest
        # Numbers continue after the highest, so none is used twice.
        write_some(db, 2)
        later = highest_numbers(db)
        assert all(later[table] > highest[table] for table in ("documents", "chunks", "segments"))
    with connect(source) as db:
        write_some(db, 2)
        expected = rankings(db)
    with connect(restored) as db:
        maintain(db)
        assert_same_rankings(rankings(db), expected)
    assert not install(restored).changed


def wait_until_applied(publisher: Connection, slot: str) -> None:
    row = publisher.execute("select pg_current_wal_lsn()").fetchone()
    assert row is not None
    applied = "select confirmed_flush_lsn >= %s::pg_lsn from pg_replication_slots where slot_name = %s"
    position = row[0]
    until(lambda: publisher.execute(applied, (position, slot)).fetchone() == (True,))


def test_a_logical_subscriber_ranks_the_same(own_server: embedded.Server) -> None:
    with connect(own_server.dsn) as admin:
        for name in ("publisher", "subscriber"):
            admin.execute(f"create database {name}")
    let_the_server_connect_to_itself(own_server)
    published, subscribed = own_server.dsn_for("publisher"), own_server.dsn_for("subscriber")
    install(published)
    install(subscribed)
    with connect(published) as publisher, connect(subscribed) as subscriber:
        write_some(publisher, 1)
        tables = ", ".join(name for (name,) in publisher.execute(TABLES))
        # The initial rows of the installation come from the publisher as well.
        subscriber.execute(f"truncate {tables}")
        publisher.execute(f"create publication braid for table {tables} with (publish_via_partition_root)")
        # In one cluster, `create subscription` would wait for itself if it made the slot.
        publisher.execute("select pg_create_logical_replication_slot('braid', 'pgoutput')")
        subscriber.execute(
            f"create subscription braid connection 'host={own_server.socket_dir} dbname=publisher user=postgres' "
            "publication braid with (create_slot = false, slot_name = 'braid')"
        )
        try:
            copied = "select bool_and(srsubstate = 'r') from pg_subscription_rel"
            until(lambda: subscriber.execute(copied).fetchone() == (True,))
            wait_until_applied(publisher, "braid")
            expected = rankings(publisher)
            assert any(len(hits) > 10 for hits in expected)
            assert_same_rankings(rankings(subscriber), expected)
            # Replacements, deletes and merges arrive as well.
            write_some(publisher, 2)
            assert maintain(publisher) > 0
            wait_until_applied(publisher, "braid")
            expected = rankings(publisher)
            assert_same_rankings(rankings(subscriber), expected)
            publisher.execute("select braid.clear_collection()")
            wait_until_applied(publisher, "braid")
            assert not any(rankings(subscriber))
        finally:
            subscriber.execute("alter subscription braid disable")
            subscriber.execute("alter subscription braid set (slot_name = none)")
            subscriber.execute("drop subscription braid")
