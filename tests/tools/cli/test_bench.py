"""Test pgbraid bench."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from pgbraid_tools.benchmark.workload import made_queries, read_collection
from support.calls import upsert
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
Run = Callable[..., Any]
PROGRAM = [sys.executable, "-c", "from pgbraid.cli import main; main()"]
HOSTILE = "<script>alert('x')</script> & more"
SHORT = ("--seconds", "1", "--clients", "1,2", "--queries", "10")
PLACES = """
select nspname from pg_namespace where nspname like 'pgbraid\\_bench\\_%' union all
select datname from pg_database where datname like 'pgbraid\\_bench\\_%' union all
select rolname from pg_roles where rolname like '%pgbraid\\_bench\\_%'
"""


@pytest.fixture
def filled(db: Connection) -> Connection:
    rng = random.Random(1)
    db.execute("select braid.create_collection(%s, dimensions => 3, embedding_model => 'test')", (HOSTILE,))
    words = [f"word{chr(97 + n)}" for n in range(20)]
    documents = [
        {
            "external_id": str(n),
            "content": " ".join(rng.choices(words, k=12)),
            "embedding": [rng.random() for _ in "abc"],
        }
        for n in range(60)
    ]
    upsert(db, documents, HOSTILE)
    return db


def places(db: Connection) -> list[str]:
    return [name for (name,) in db.execute(PLACES.encode())]


def check(result: dict[str, Any], *, clients: tuple[int, ...] = (1, 2), has_usual: bool = True) -> None:
    cells = {(cell["system"], cell["mode"], cell["clients"]): cell for cell in result["cells"]}
    expected = {("pgbraid", "full_text", clients[0]), ("pgbraid", "semantic", clients[0])}
    expected |= {("pgbraid", "hybrid", count) for count in clients}
    if has_usual:
        expected |= {("GIN + ts_rank + RRF", "hybrid", count) for count in clients}
    assert set(cells) == expected
    for cell in cells.values():
        assert cell["errors"] == 0 and cell["error"] is None
        assert cell["searches"] > 0 and cell["per_second"] > 0 and cell["rows"] > 0
        assert 0 < cell["p50_ms"] <= cell["p95_ms"] <= cell["p99_ms"] <= cell["max_ms"]
    assert (result["baseline"] is not None) == has_usual


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not {"src", "href", "onload", "onclick"} & {name for name, _ in attributes}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_collection_of_ones_own(run: Run, filled: Connection, tmp_path: Path) -> None:
    # The killed run left the schema "dead"; the schema "alive" belongs to a run that still holds its lock.
    for name in ("pgbraid_bench_dead", "pgbraid_bench_alive"):
        filled.execute(f"create schema {name}")
        filled.execute(f"comment on schema {name} is 'Made by pgbraid bench'")
    # Somebody else made this schema, without the comment.
    filled.execute("create schema pgbraid_bench_results")
    lock = "select pg_advisory_lock(hashtextextended('pgbraid_bench_alive', 7046029254386353131))"
    filled.execute(lock)
    report = tmp_path / "bench.html"
    done = run("bench", "--collection", HOSTILE, *SHORT, "--json", "--report", report)
    assert (done.code, done.err) == (0, ""), done
    result = json.loads(done.out)
    check(result)
    assert result["collection"]["chunks"] == 60 and result["queries"]["count"] == 10
    assert result["index_recall"]["mean"] == 1.0
    assert result["baseline"]["bytes"] > 0
    assert sorted(places(filled)) == ["pgbraid_bench_alive", "pgbraid_bench_results"]
    page = Page()
    page.feed(report.read_text())
    assert "script" not in page.tags and page.tags.count("svg") == 3
    assert HOSTILE in page.text and "GIN + ts_rank + RRF: hybrid" in page.text


def test_queries_are_made_of_all_documents_of_a_collection(db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    documents = [
        {"external_id": str(n), "content": f"word{chr(97 + n)}", "embedding": [n + 1, 1, 1]} for n in range(20)
    ]
    upsert(db, documents, "small")
    upsert(db, [{"external_id": str(n), "content": "text"} for n in range(400)])
    queries = made_queries(db, read_collection(db, "small"), 10)
    assert len({query.text for query in queries}) == 10
    # Queries can also be made from a single document.
    db.execute("select braid.delete_documents(array(select n::text from generate_series(1, 19) n), 'small')")
    assert [query.text for query in made_queries(db, read_collection(db, "small"), 2)] == ["worda", "worda"]


def test_texts_that_are_generated(run: Run, db: Connection) -> None:
    done = run("bench", "--generate", "100", *SHORT, "--no-baseline")
    assert done.code == 0, done
    assert done.out.startswith("generated: 100 chunks of 384 dimensions; 10 queries")
    assert "index recall@10 of searches by meaning: 1.000" in done.out
    assert places(db) == []


def test_a_query_set(run: Run, filled: Connection) -> None:
    filled.execute("select braid.create_query_set('asked')")
    queries = [{"query_id": str(n), "text": f"word{chr(97 + n)}"} for n in range(4)]
    filled.execute("select braid.store_queries('asked', %s, %s)", (json.dumps(queries), HOSTILE))
    done = run("bench", "--collection", HOSTILE, "--query-set", "asked", *SHORT, "--no-baseline", "--json")
    assert done.code == 0, done
    result = json.loads(done.out)
    check(result, has_usual=False)
    assert result["queries"] == {"count": 4, "source": "of the query set asked"}
    assert result["notes"][0].startswith("4 queries have no embedding")


def test_logins_with_fewer_rights(run: Run, filled: Connection, dsn: str, make_login: Callable[..., str]) -> None:
    writer, reader = make_login("ana", "braid_writer"), make_login("ben", "braid_reader")
    for login in (writer, reader):
        filled.execute("select braid.add_tenant_member('default', %s)", (login,))
    own = ("bench", "--collection", HOSTILE, *SHORT, "--json", "--dsn")
    done = run(*own, make_conninfo(dsn, user=writer))
    assert done.code == 0, done
    result = json.loads(done.out)
    check(result, has_usual=False)
    assert "lacks the rights of the tables' owner" in result["notes"][0]
    for arguments in (own, ("bench", "--generate", "100", "--dsn")):
        done = run(*arguments, make_conninfo(dsn, user=reader))
        assert done.code == 2 and done.err.startswith("pgbraid: ") and "Traceback" not in done.err


def test_ctrl_c_leaves_nothing(filled: Connection, dsn: str) -> None:
    env = {**os.environ, "PGBRAID_DSN": dsn}
    for arguments, said, sent in [
        (("--collection", HOSTILE), "copying", signal.SIGINT),
        (("--collection", HOSTILE), "clients: 2", signal.SIGTERM),
        (("--generate", "50000"), "writing", signal.SIGINT),
    ]:
        command = [*PROGRAM, "bench", *arguments, "--seconds", "60", "--clients", "1,2"]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            seen = ""
            while said not in seen:
                line = process.stderr.readline()
                assert line, seen
                seen += line
            process.send_signal(sent)
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, (out, err)
        assert "Traceback" not in err, err
        assert places(filled) == []


@pytest.mark.parametrize(
    ("arguments", "during"),
    [
        (("--collection", HOSTILE), b"insert into chunks"),
        (("--collection", HOSTILE), b"create schema"),
        (("--generate", "100"), b"create database"),
        (("--generate", "100"), b"create_collection"),
    ],
)
def test_ctrl_c_between_sending_and_waiting_leaves_nothing(
    run: Run, filled: Connection, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], during: bytes
) -> None:
    """psycopg does not wait for the end of the interrupted statement: its session stays busy."""
    send = psycopg.Cursor._execute_send

    def send_and_interrupt(cursor: Any, query: Any, **given: Any) -> None:
        send(cursor, query, **given)
        if during in query.query:
            raise KeyboardInterrupt

    monkeypatch.setattr(psycopg.Cursor, "_execute_send", send_and_interrupt)
    done = run("bench", *arguments, *SHORT)
    assert done.code == 130 and "Traceback" not in done.err, done
    monkeypatch.undo()
    assert places(filled) == []


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("--clients", "0"), "is not like 1,2,4"),
        (("--clients", "1,x"), "is not like 1,2,4"),
        (("--clients", "1,257"), "numbers from 1 to 256"),
        (("--seconds", "0"), "0"),
        (("--generate", "99"), "99"),
        (("--generate", "100", "--query-set", "q"), "leave out --query-set"),
        (("--report", "/nonexistent/x.html"), "/nonexistent is no folder"),
        (("--collection", "none"), "none"),
        (("--collection", "default"), "has no documents"),
        (("--tenant", "none"), "none"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run("bench", *arguments)
    assert done.code == 2 and said in done.err and "Traceback" not in done.err, done
