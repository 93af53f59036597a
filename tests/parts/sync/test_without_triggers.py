"""If no trigger sees a change of a synced table, apply_changes reads all rows again, or reports what it misses."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from parts.sync.test_synced_tables import apply, in_step, sync, texts

from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install
from support import durable_server
from support.calls import one

Connection = psycopg.Connection[Any]
METADATA = ["n", "code", "at", "mood", "moods", "pair", "spans"]


@pytest.fixture
def articles(db: Connection) -> Connection:
    db.execute("create type mood as enum ('sad', 'glad')")
    db.execute("create domain feeling as mood")
    db.execute("create type pair as (a int, b mood)")
    db.execute(
        "create table articles (id int primary key, body text, n numeric(10, 2), code varchar(9), at timestamptz(6),"
        " mood feeling, moods mood[], pair pair, spans numrange)"
    )
    db.execute(
        "insert into articles select g, 'word' || g, g + 0.25, 'code' || g, '2026-01-01 12:34:56.789',"
        " 'sad', '{sad,glad}', row(g, 'glad')::pair, '[1,2]' from generate_series(1, 3) g"
    )
    sync(db, metadata=METADATA)
    in_step(db)
    return db


STORED = "select d.external_id, braid.get_document(d.external_id) from braid.list_documents(match_count => 100) d"


@pytest.mark.parametrize(
    "change",
    [
        "alter table articles alter body type text using upper(body)",
        "alter table articles alter n type numeric(10, 1)",
        "alter table articles alter code type varchar(9) using left(code, 2) || id",
        "alter table articles alter at type timestamptz(0)",
        "alter type mood rename value 'sad' to 'low'",
        "alter type mood rename value 'glad' to 'high'",
        "alter type pair add attribute c int",
        "alter table articles disable trigger all; update articles set body = 'unseen';"
        " delete from articles where id = 2; alter table articles enable trigger all",
        "set session_replication_role = replica; truncate articles; reset session_replication_role",
    ],
)
def test_changes_that_fire_no_trigger(articles: Connection, change: str) -> None:
    before = articles.execute(STORED).fetchall()
    articles.execute(change.encode())
    done = apply(articles)
    assert done["complete"] and done["failed"] == 0
    problems = articles.execute("select external_id, problem from braid.check_sync('public.articles')").fetchall()
    assert [row for row in problems if row[0] is not None] == []
    assert articles.execute(STORED).fetchall() != before


@pytest.mark.parametrize(
    "change", ["alter type mood add value 'calm'", "analyze articles", "alter table articles add x int"]
)
def test_changes_of_no_row(articles: Connection, change: str) -> None:
    articles.execute(change.encode())
    assert apply(articles)["rows"] == 0


def test_a_column_that_is_generated_and_not_stored(articles: Connection) -> None:
    if articles.info.server_version < 180000:
        pytest.skip("PostgreSQL 18 has them")
    articles.execute("alter table articles add loud text generated always as (upper(body)) virtual")
    sync(articles, content=["loud"])
    in_step(articles)
    articles.execute("alter table articles alter loud set expression as (repeat(body, 2))")
    in_step(articles)
    assert texts(articles)["1"] == "word1word1"


def test_triggers_that_are_not_called(articles: Connection) -> None:
    articles.execute("alter table articles disable trigger braid_note_update")
    apply(articles)
    articles.execute("update articles set body = 'unseen' where id = 1")
    (warning,) = apply(articles)["warnings"]
    assert "braid_note_update" in warning and "is disabled" in warning and "sync_table" in warning
    problems = articles.execute("select external_id, problem from braid.check_sync('public.articles')").fetchall()
    assert "braid_note_update" in problems[0][1] and problems[1][0] == "1"
    found = articles.execute("select finding from braid.health() where code = 'sync_misses_changes'").fetchall()
    assert len(found) == 1 and "braid_note_update" in found[0][0]
    articles.execute("alter table articles enable trigger braid_note_update")
    in_step(articles)
    assert texts(articles)["1"] == "unseen"
    # A restore with --disable-triggers ends like this, and rows that replication writes would be missed.
    articles.execute("alter table articles disable trigger all")
    articles.execute("alter table articles enable trigger all")
    in_step(articles)
    (finding,) = articles.execute("select finding from braid.health() where code = 'sync_misses_changes'").fetchall()
    assert "braid_note_row" in finding[0] and "braid_note_truncate" in finding[0] and "replication" in finding[0]
    sync(articles, mode="immediate")
    in_step(articles)
    articles.execute("alter table articles enable trigger braid_note_row")
    articles.execute("update articles set body = 'at once' where id = 1")
    assert texts(articles)["1"] == "at once"
    articles.execute("drop trigger braid_note_row on articles")
    in_step(articles)
    found = articles.execute("select finding from braid.health() where code = 'sync_misses_changes'").fetchall()
    assert "braid_note_row of public.articles is missing" in found[0][0]
    sync(articles)
    assert articles.execute("select from braid.health() where code = 'sync_misses_changes'").fetchall() == []


def test_a_table_that_is_restored_alone(articles: Connection, dsn: str, pg_version: int, tmp_path: Path) -> None:
    programs, dump = installed_programs(pg_version), tmp_path / "dump"
    subprocess.run([programs / "pg_dump", "-Fc", "-t", "public.articles", "-f", dump, dsn], check=True)
    articles.execute("update articles set body = 'later'")
    in_step(articles)
    for arguments in (["--clean"], ["--data-only", "--disable-triggers"]):
        if arguments != ["--clean"]:
            articles.execute("truncate articles")
            in_step(articles)
        subprocess.run([programs / "pg_restore", *arguments, "-d", dsn, dump], check=True)
        apply(articles)
        assert texts(articles)["1"] == "word1"


@pytest.mark.any_version
def test_unlogged_tables_after_a_crash(pg_version: int) -> None:
    with durable_server(pg_version) as server:
        install(server.dsn)
        with psycopg.connect(server.dsn, autocommit=True) as db:
            db.execute("create unlogged table articles (id int primary key, body text)")
            db.execute("create table notes (id int primary key, body text)")
            for table in ("articles", "notes"):
                db.execute(f"insert into {table} values (1, 'amber'), (2, 'basket')".encode())
                db.execute("select braid.create_collection(%s)", (table,))
                sync(db, f"public.{table}", collection=table)
                in_step(db, f"public.{table}")
            assert apply(db)["rows"] == 0
            pid = embedded.ensure_running(server.data_dir).pid
            os.kill(pid, signal.SIGKILL)
            with suppress(psycopg.OperationalError):
                db.execute("select pg_sleep(600)")  # this waits until the server ends all sessions
        server = embedded.ensure_running(server.data_dir)
        with psycopg.connect(server.dsn, autocommit=True) as db:
            assert one(db, "select count(*) from articles") == 0
            db.execute("insert into articles values (3, 'candle')")
            in_step(db, "public.articles")
            assert texts(db, "articles") == {"3": "candle"}
            assert texts(db, "notes") == {"1": "amber", "2": "basket"}
            assert apply(db)["rows"] == 0
