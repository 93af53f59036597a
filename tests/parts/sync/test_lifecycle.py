"""Synced tables survive upgrades, dumps, killed servers and the removal of pgbraid."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import threading
import time
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import in_step, nothing_is_left, sync, texts
from psycopg import sql

from endurance.traffic import is_lost
from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install, uninstall
from support import durable_server
from support.calls import one
from support.examples import rounds
from support.package import Package
from support.servers import connect_again
from support.waiting import PATIENCE, until

Connection = psycopg.Connection[Any]
ROUNDS = rounds(6)


@pytest.fixture
def articles(db: Connection) -> Connection:
    db.execute("create table articles (id int primary key, body text)")
    db.execute("insert into articles values (1, 'amber'), (2, 'basket'), (3, 'candle')")
    sync(db)
    in_step(db)
    return db


@pytest.mark.parametrize("is_everything_dropped", [False, True])
def test_an_upgrade(articles: Connection, dsn: str, package: Package, is_everything_dropped: bool) -> None:
    file = (
        "sql/core/20_tenancy/1_session/session_tenant_id.sql"
        if is_everything_dropped
        else "sql/core/95_upkeep/7_status/version.sql"
    )
    old, new = ("returns int", "returns bigint") if is_everything_dropped else ("returns text", "returns varchar")
    assert old in package.text(file)
    # An older pgbraid might have written this function.
    function = one(articles, "select pg_get_functiondef(tgfoid) from pg_trigger where tgname = 'braid_note_update'")
    articles.execute(re.sub(r"(?s)begin.*end", "begin return null; end", function))
    package.change({file: package.text(file).replace(old, new)})
    assert install(dsn).functions_applied
    articles.execute("update articles set body = 'new' where id = 1")
    in_step(articles)
    package.restore()
    assert install(dsn).functions_applied
    articles.execute("insert into articles values (4, 'four')")
    in_step(articles)
    assert texts(articles) == {"1": "new", "2": "basket", "3": "candle", "4": "four"}
    assert one(articles, "select braid.unsync_table('public.articles')") == 4
    nothing_is_left(articles)


def test_uninstalled(articles: Connection, dsn: str) -> None:
    articles.execute("insert into articles values (4, 'waits')")
    uninstall(dsn)
    articles.execute("update articles set body = 'new'")
    articles.execute("truncate articles")
    assert (
        one(
            articles,
            "select count(*) from pg_trigger where tgrelid = 'articles'::regclass",
        )
        == 0
    )


def test_a_dump(
    articles: Connection,
    dsn: str,
    server: embedded.Server,
    pg_version: int,
    tmp_path: Path,
) -> None:
    # After a restore, the columns have other numbers.
    articles.execute("alter table articles add gone int, add title text default 'T'")
    sync(articles, title="title")
    articles.execute("alter table articles drop gone")
    in_step(articles)
    articles.execute("insert into articles values (4, 'noted before')")
    programs, file, name = (
        installed_programs(pg_version),
        tmp_path / "dump.sql",
        f"restored_{uuid.uuid4().hex[:8]}",
    )
    subprocess.run([programs / "pg_dump", "--file", file, dsn], check=True)
    articles.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
    try:
        restored = server.dsn_for(name)
        subprocess.run(
            [
                programs / "psql",
                "-q",
                "-X",
                "-v",
                "ON_ERROR_STOP=1",
                "-o",
                "/dev/null",
                "-f",
                file,
                restored,
            ],
            check=True,
        )
        install(restored)
        with psycopg.connect(restored, autocommit=True) as db:
            db.execute("update articles set body = 'new' where id = 1")
            in_step(db)
            assert texts(db) == {
                "1": "new",
                "2": "basket",
                "3": "candle",
                "4": "noted before",
            }
            db.execute("alter table articles rename title to head")
            db.execute("update articles set head = 'U' where id = 2")
            in_step(db)
            assert one(db, "select braid.get_document('2')")["title"] == "U"
            assert one(db, "select braid.unsync_table('public.articles')") == 4
            nothing_is_left(db)
    finally:
        articles.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
def test_killed_again_and_again(pg_version: int, mode: str) -> None:
    """Documents agree with rows after repeated kill -9 of a writer, a worker or the server."""
    with durable_server(pg_version) as server:
        install(server.dsn)
        dsn, rng = server.dsn, random.Random(5)
        with connect_again(dsn) as db:
            db.execute("create table articles (id int primary key, body text)")
            db.execute("insert into articles select n, 'text ' || n from generate_series(1, 2000) n")
            sync(db, mode=mode)
            if mode == "immediate":  # only in this mode do triggers write documents
                in_step(db)
        for number in range(ROUNDS if mode == "deferred" else 3):
            calls = [0] * 4
            problems: list[BaseException] = []

            connections = [connect_again(dsn) for _ in range(4)]
            pids = [connection.info.backend_pid for connection in connections]
            threads = [
                threading.Thread(
                    target=work,
                    args=(place, connection, calls, problems, number),
                )
                for place, connection in enumerate(connections)
            ]
            for thread in threads:
                thread.start()
            until(partial(is_enough, calls, problems))
            time.sleep(rng.uniform(0, 0.4))
            victim = pids[number % 4] if number % 3 else embedded.ensure_running(server.data_dir).pid
            os.kill(victim, signal.SIGKILL)
            for thread in threads:
                thread.join(PATIENCE)
                assert not thread.is_alive()
            assert not problems
            embedded.ensure_running(server.data_dir)
        with connect_again(dsn) as db:
            in_step(db)
            rows = db.execute("select id::text, body from articles").fetchall()
            assert texts(db) == dict(rows)
            assert one(db, "select count(*) from braid_store.row_changes") == 0


# The trigger writes to these tables in this order; "" is the moment before the commit.
STEPS = ["synced_rows", "chunks", "row_changes", ""]


def test_a_writer_is_killed_at_each_step_of_its_trigger(pg_version: int) -> None:
    with durable_server(pg_version) as server:
        install(server.dsn)
        with connect_again(server.dsn) as db:
            db.execute("create table articles (id int primary key, body text)")
            db.execute("insert into articles values (1, 'amber'), (2, 'basket')")
            sync(db, mode="immediate")
            in_step(db)
            db.execute(
                "create function public.stop_here() returns trigger language plpgsql as $$ begin"
                " if current_setting('application_name') = tg_table_name then perform pg_sleep(600); end if;"
                " return null; end $$"
            )
            for step in STEPS[:-1]:
                db.execute(
                    f"create trigger stop_here after insert or update on braid_store.{step}"
                    " execute function public.stop_here()".encode()
                )
        for number, step in enumerate(STEPS):
            with connect_again(server.dsn) as db:
                before = texts(db)
                writer = connect_again(server.dsn)
                pid = writer.info.backend_pid
                writer.execute("select set_config('application_name', %s, false)", (step or "commit",))
                # One transaction has rows that are written at once, and rows that are noted.
                statements = (
                    f"begin; insert into articles values ({10 + number}, 'new');"
                    f" update articles set body = 'n{number}'; update articles set id = -id where id = 1;"
                    " truncate articles; insert into articles values (1, 'more'), (2, 'text');"
                    " select pg_sleep(600); commit"
                )
                thread = threading.Thread(target=suppressed, args=(writer, statements))
                thread.start()
                sleeping = "select wait_event = 'PgSleep' from pg_stat_activity where pid = %s"
                until(partial(one, db, sleeping, pid), lambda: step)  # noqa: B023
                os.kill(pid if number % 2 else embedded.ensure_running(server.data_dir).pid, signal.SIGKILL)
                thread.join(PATIENCE)
                with suppress(psycopg.OperationalError):
                    db.execute("select pg_sleep(600)")  # this waits until the server ends all sessions
            embedded.ensure_running(server.data_dir)
            with connect_again(server.dsn) as db:
                assert db.execute("select * from braid.check_sync('public.articles')").fetchall() == []
                assert texts(db) == before == dict(db.execute("select id::text, body from articles").fetchall())
                db.execute("update articles set body = %s where id = 1", (f"after {number}",))
                assert texts(db)["1"] == f"after {number}"
                assert one(db, "select count(*) from braid_store.row_changes") == 0


def suppressed(db: Connection, statements: str) -> None:
    with suppress(psycopg.Error):
        db.execute(statements.encode())
    db.close()


def write(db: Connection, rng: random.Random) -> None:
    number = rng.randrange(2500)
    match rng.randrange(6):
        case 0:
            db.execute("delete from articles where id between %s and %s", (number, number + 5))
        case 1:
            db.execute(
                "update articles set body = 'all ' || %s where id %% 100 = %s",
                (number, number % 100),
            )
        case 2:
            db.execute("update articles set id = -id where id = %s", (number,))
        case 3 if rng.random() < 0.02:
            db.execute("truncate articles")
        case _:
            db.execute(
                "insert into articles values (%s, %s) on conflict (id) do update set body = excluded.body",
                (number, f"written {rng.random()}"),
            )


def bring(db: Connection, rng: random.Random) -> None:
    done = one(db, "select braid.apply_changes('200 milliseconds')")
    # A worker can deadlock with a writer that writes documents.
    warnings = [warning for warning in done["warnings"] if "deadlock" not in warning]
    assert (done["failed"], warnings) == (0, []), done


def is_enough(calls: list[int], problems: list[BaseException]) -> bool:
    """Tell whether both writers and the workers have done something, or something went wrong."""
    return bool(problems) or (min(calls[:2]) >= 5 and calls[2] + calls[3] >= 3)


def work(place: int, db: Connection, calls: list[int], problems: list[BaseException], seed: int) -> None:
    rng = random.Random(seed * 10 + place)
    try:
        while True:
            with suppress(psycopg.errors.DeadlockDetected):  # two writers can deadlock
                (write if place < 2 else bring)(db, rng)
            calls[place] += 1
    except BaseException as error:
        if not is_lost(db, error):
            problems.append(error)
    finally:
        db.close()
