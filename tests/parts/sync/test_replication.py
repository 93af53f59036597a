"""Tables that logical replication writes to are kept in step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync, texts

from endurance.test_dump_and_replica import wait_until_applied
from pgbraid import embedded
from pgbraid.install import install
from support import durable_server
from support.calls import one
from support.replication import let_the_server_connect_to_itself
from support.waiting import until

Connection = psycopg.Connection[Any]


@pytest.fixture
def own_server(pg_version: int) -> Iterator[embedded.Server]:
    with durable_server(pg_version) as server:
        with psycopg.connect(server.dsn, autocommit=True) as db:
            db.execute("alter system set wal_level = logical")
        embedded.stop(server.data_dir)
        yield embedded.ensure_running(server.data_dir, pg_version)


def test_a_subscriber(own_server: embedded.Server) -> None:
    with psycopg.connect(own_server.dsn, autocommit=True) as admin:
        for name in ("publisher", "subscriber"):
            admin.execute(f"create database {name}".encode())
    let_the_server_connect_to_itself(own_server)
    published, subscribed = own_server.dsn_for("publisher"), own_server.dsn_for("subscriber")
    install(subscribed)
    with (
        psycopg.connect(published, autocommit=True) as publisher,
        psycopg.connect(subscribed, autocommit=True) as subscriber,
    ):
        for db in (publisher, subscriber):
            for table in ("articles", "notes"):
                db.execute(f"create table {table} (id int primary key, body text)".encode())
        for table, mode in (("articles", "deferred"), ("notes", "immediate")):
            publisher.execute(f"insert into {table} values (1, 'amber'), (2, 'basket'), (3, 'candle')".encode())
            subscriber.execute("select braid.create_collection(%s)", (table,))
            sync(subscriber, f"public.{table}", collection=table, mode=mode)
            in_step(subscriber, f"public.{table}")
        publisher.execute("create publication p for table articles, notes")
        publisher.execute("select pg_create_logical_replication_slot('p', 'pgoutput')")
        subscriber.execute(
            f"create subscription p connection 'host={own_server.socket_dir} dbname=publisher user=postgres' "
            "publication p with (create_slot = false, slot_name = 'p')".encode()
        )
        try:
            until(lambda: one(subscriber, "select bool_and(srsubstate = 'r') from pg_subscription_rel"))

            def compare() -> None:
                wait_until_applied(publisher, "p")
                for table in ("articles", "notes"):
                    in_step(subscriber, f"public.{table}")
                    rows = publisher.execute(f"select id::text, body from {table}".encode()).fetchall()
                    assert texts(subscriber, table) == dict(rows)

            compare()  # this covers the rows of the initial copy
            assert len(texts(subscriber, "notes")) == 3
            for table in ("articles", "notes"):
                publisher.execute(f"insert into {table} values (4, 'drum')".encode())
                publisher.execute(f"update {table} set body = 'new' where id = 1".encode())
                publisher.execute(f"update {table} set id = 20 where id = 2".encode())
                publisher.execute(f"delete from {table} where id = 3".encode())
            compare()
            publisher.execute("truncate articles, notes")
            publisher.execute("insert into articles values (5, 'after')")
            compare()
            assert texts(subscriber, "articles") == {"5": "after"}
            subscriber.execute("alter table articles enable trigger all")
            (warning,) = apply(subscriber)["warnings"]
            assert "braid_note_row" in warning and "replication" in warning
            sync(subscriber, "public.articles", collection="articles")
            compare()
        finally:
            subscriber.execute("alter subscription p disable")
            subscriber.execute("alter subscription p set (slot_name = none)")
            subscriber.execute("drop subscription p")
