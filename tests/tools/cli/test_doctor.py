"""Test pgbraid doctor."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from pgbraid.install import install
from pgbraid_tools.cli import doctor

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
Run = Callable[..., Any]
OF_TESTS = {"fsync_off", "full_page_writes_off"}


def codes(out: str) -> set[str]:
    return {found["code"] for found in json.loads(out)["findings"]} - OF_TESTS


def test_problems_end_with_1(run: Run, db: Connection) -> None:
    db.execute("grant select on braid_store.chunks to public")
    found = run("doctor")
    assert (found.code, found.err) == (1, "")
    lines = found.out.splitlines()
    place = lines.index("problem  granted_to_public  braid_store.chunks")
    assert lines[place + 1] == "  PUBLIC has SELECT on this table."
    assert lines[place + 3] == "    revoke all on table braid_store.chunks from public;"
    assert lines[1].startswith("parts       completion, decompounding, evaluation, memory, ")
    assert lines[4] == "looked at   the server and all tenants"
    assert "shared_buffers " in lines[3] and "random_page_cost " in lines[3]
    assert lines[-1] == "problems: 3, advice: 0"


def test_json(run: Run, db: Connection) -> None:
    db.execute("grant select on braid_store.chunks to public")
    found = run("doctor", "--json")
    assert found.code == 1
    facts = json.loads(found.out)
    assert facts["looked_at"] == "everything" and facts["settings"]["work_mem"]
    (one,) = [row for row in facts["findings"] if row["code"] == "granted_to_public"]
    assert set(one) == {"severity", "code", "subject", "finding", "reason", "command"}


def test_advice_alone_and_nothing_end_with_0(
    run: Run, db: Connection, dsn: str, make_login: Callable[..., str]
) -> None:
    writer = make_login("ana", "braid_writer")
    db.execute("select braid.add_tenant_member('default', %s)", (writer,))
    own = ("--dsn", make_conninfo(dsn, user=writer))
    clean = run("doctor", *own)
    assert clean.code == 0, clean
    assert "looked at   tenant default alone, because the login is not an administrator" in clean.out
    assert clean.out.splitlines()[-1] == "problems: 0, advice: 0"
    db.execute("select braid.create_collection('long', embedding_model => 'all-MiniLM-L12-v2')")
    advice = run("doctor", *own, "--json")
    assert (advice.code, codes(advice.out)) == (0, {"chunks_exceed_window"})
    db.execute("select braid.upsert_document('d', 'text')")
    assert codes(run("doctor", *own, "--json").out) == {"chunks_exceed_window"}
    late = run("doctor", *own, "--json", "--older-than", "0 seconds")
    assert (late.code, codes(late.out)) == (1, {"chunks_exceed_window", "embeddings_waiting"})


def test_what_cannot_be_looked_at_ends_with_2(run: Run, dsn: str, make_login: Callable[..., str]) -> None:
    for arguments, said in [
        (("--dsn", "host=/nonexistent"), "pgbraid: "),
        (("--dsn", make_conninfo(dsn, user=make_login("nobody"))), "may not use pgbraid"),
        (("--dsn", make_conninfo(dsn, user=make_login("reader", "braid_writer"))), "member of no tenant"),
        (("--dsn", make_conninfo(dsn, dbname="postgres")), "has no pgbraid"),
        (("--older-than", "soon"), "soon"),
        (("--older-than", "-1 hour"), "older_than is"),
    ]:
        done = run("doctor", *arguments)
        assert done.code == 2 and said in done.err and "Traceback" not in done.err, (arguments, done)


def test_a_database_of_another_version(run: Run, db: Connection, dsn: str) -> None:
    for change, code in [
        ("version = '999.0.0'", "package_older"),
        ("version = '0.0.1'", "database_older"),
        ("migrations = migrations - 'sync.0001.baseline'", "database_older"),
        ('migrations = migrations || \'{"9999.later": "x"}\'', "package_older"),
        ('migrations = migrations || \'{"sync.0001.baseline": "x"}\'', "migrations_changed"),
    ]:
        with psycopg.connect(dsn, autocommit=True) as session:
            kept = session.execute("select version, migrations::text from braid_store.installation").fetchone()
            assert kept is not None
            session.execute(f"update braid_store.installation set {change}".encode())
            done = run("doctor", "--json")
            assert (done.code, codes(done.out)) == (1, {code}), (change, done)
            session.execute("update braid_store.installation set (version, migrations) = (%s, %s)", kept)
    assert codes(run("doctor", "--json").out) == set()
    # An installation from before braid.health existed is diagnosed, too.
    db.execute("update braid_store.parts set content_hash = 'x' where name = 'sync'")
    db.execute("drop function braid.health(interval)")
    done = run("doctor", "--json")
    assert (done.code, codes(done.out)) == (1, {"functions_differ"})
    (found,) = [row for row in json.loads(done.out)["findings"] if row["code"] == "functions_differ"]
    assert found["command"] == "pgbraid upgrade"
    assert found["finding"].endswith("package: sync.")
    install(dsn)
    assert codes(run("doctor", "--json").out) == set()
    # A dropped internal function is found as well.
    db.execute("drop function braid_store.extend_status_search_log(int, int)")
    done = run("doctor", "--json")
    assert (done.code, codes(done.out)) == (1, {"functions_changed"})
    (found,) = [row for row in json.loads(done.out)["findings"] if row["code"] == "functions_changed"]
    assert "extend_status_search_log" in found["finding"]
    install(dsn)
    assert codes(run("doctor", "--json").out) == set()


@pytest.mark.parametrize("ahead, severity", [(-120.0, "problem"), (10.0, "advice"), (0.5, None)])
def test_clocks_that_differ(run: Run, monkeypatch: pytest.MonkeyPatch, ahead: float, severity: str | None) -> None:
    monkeypatch.setattr(doctor, "time", SimpleNamespace(time=lambda: time.time() + ahead))
    found = [row for row in json.loads(run("doctor", "--json").out)["findings"] if row["code"] == "clocks_differ"]
    assert [row["severity"] for row in found] == ([severity] if severity else [])


def test_time_zones_that_differ(run: Run, monkeypatch: pytest.MonkeyPatch, db: Connection) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        db.execute(f"alter database {db.info.dbname} set timezone = 'UTC'")
        done = run("doctor", "--json")
        (found,) = [row for row in json.loads(done.out)["findings"] if row["code"] == "time_zones_differ"]
        assert "UTC+0530" in found["finding"]
        db.execute(found["command"].encode())
        assert "time_zones_differ" not in codes(run("doctor", "--json").out)
    finally:
        monkeypatch.undo()
        time.tzset()
