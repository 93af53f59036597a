"""Run the SQL file for Supabase's SQL editor as the owner of a project, who is no superuser."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo

import pgbraid
from integrations.supabase.conftest import Psql
from pgbraid import embedded
from pgbraid.cli import cli
from pgbraid.install import install, session
from pgbraid_tools.bundles.bundle import bundle
from support import HashEmbedder, snapshot, supabase
from support.package import Package
from support.roles import owner_role
from support.waiting import PATIENCE, wait_and_go_on

DASHBOARD = "add braid to the exposed schemas"


def paste(dsn: str, text: str) -> list[str]:
    """Run a script as one simple query, as the SQL editor does. Return the messages of its last statement."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(text.encode(), prepare=False)
        while cursor.nextset():
            pass
        return [row[0] for row in cursor.fetchall()]


def request(dsn: str, role: str, query: str, tenant: str | None = None) -> list[tuple[object, ...]]:
    """Run a query in a transaction as PostgREST does; return its rows."""
    claims = {"role": role, **({"app_metadata": {"tenant_id": tenant}} if tenant else {})}
    with psycopg.connect(make_conninfo(dsn, user="authenticator")) as connection:
        connection.execute(
            "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)",
            (role, json.dumps(claims)),
        )
        return connection.execute(query.encode()).fetchall()


def test_the_driver_goes_on_from_it(project: str) -> None:
    said = paste(project, bundle())
    assert said[0].startswith(f"pgbraid {pgbraid.__version__} is installed, with: core, ")
    assert said[1].startswith(DASHBOARD)
    lines: list[str] = []
    report = install(project, notify=lines.append)
    assert not report.changed and lines == ["functions unchanged"]
    assert report.vector_schema == "extensions"
    result = CliRunner().invoke(cli, ["upgrade", "--dsn", project])
    assert "is up to date" in result.output


def trust(project: str) -> None:
    """Trust the roles that the bundle also trusts."""
    with psycopg.connect(project) as connection:
        connection.execute(
            "select braid.add_trusted_role('authenticator', 'gateway'),"
            " braid.add_trusted_role('service_role', 'administrator')"
        )


def test_what_it_makes_equals_what_the_driver_makes(project: str) -> None:
    paste(project, bundle())
    pasted = snapshot.definitions(project)
    with psycopg.connect(project) as connection:
        connection.execute("drop schema braid, braid_locks, braid_store cascade")
    install(project)
    trust(project)
    assert snapshot.definitions(project) == pasted


@pytest.mark.parametrize("options", [["--single-transaction"], []], ids=" ".join)
def test_psql_runs_it_twice_in_a_row(project: str, psql: Psql, options: list[str]) -> None:
    done = psql(project, bundle() * 2, "--set", "ON_ERROR_STOP=1", "--tuples-only", *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.count("is installed") == 2
    assert not install(project).changed


def test_run_again_it_changes_nothing(project: str) -> None:
    paste(project, bundle())
    before = snapshot.definitions(project)
    with psycopg.connect(project) as connection:
        connection.execute("select braid.set_ranking('default', '{\"k1\": 2}'), braid.create_tenant('acme')")
    paste(project, bundle())
    assert snapshot.definitions(project) == before
    with psycopg.connect(project) as connection:
        assert connection.execute("select k1 from braid_store.collections").fetchall() == [(2,)]
        assert connection.execute("select count(*) from braid_store.tenants").fetchone() == (2,)


def test_it_goes_on_from_the_driver(project: str) -> None:
    install(project)
    trust(project)
    before = snapshot.definitions(project)
    paste(project, bundle())
    assert snapshot.definitions(project) == before
    assert not install(project).changed


@pytest.mark.any_version
def test_it_leaves_the_sessions_settings(project: str, psql: Psql) -> None:
    show = "select current_setting('search_path'), current_setting('lock_timeout'), current_user;"
    done = psql(project, show + bundle() + show, "--single-transaction", "--tuples-only", "--set", "ON_ERROR_STOP=1")
    lines = [line for line in done.stdout.splitlines() if "|" in line]
    assert len(lines) == 2 and lines[0] == lines[1]


# Versions


@pytest.fixture
def newer(package: Package) -> Callable[[], str]:
    """Return a function that returns the bundle of a later version, and makes this process that version. The version
    changes a function's signature, drops another function and has one more migration."""

    def make() -> str:
        version = "sql/core/95_upkeep/7_status/version.sql"
        changed = package.text(version).replace("returns text", "returns table (version text)")
        more = (
            "-- depends:\ncreate table braid_store.more (tenant_id int primary key);\n"
            "insert into braid_store.more values (1);\n"
        )
        package.change({version: changed, "migrations/core/9999.more.sql": more}, "99.0.0")
        return bundle()

    return make


def test_a_newer_one_upgrades_and_an_older_one_is_refused(project: str, newer: Callable[[], str]) -> None:
    older = bundle()
    paste(project, older)
    with psycopg.connect(project) as connection:
        connection.execute("create function braid.gone() returns int language sql as 'select 1'")
        connection.execute(f"alter function braid.gone() owner to {owner_role(connection)}")
        connection.execute("select braid.create_tenant('acme')")
    assert paste(project, newer())[0].startswith("pgbraid 99.0.0 is installed, with: core, ")
    with psycopg.connect(project) as connection:
        assert connection.execute("select tenant_id from braid_store.more").fetchall() == [(1,)]
        assert connection.execute("select to_regprocedure('braid.gone()')").fetchone() == (None,)
        assert "TABLE" in str(connection.execute("select pg_get_function_result('braid.version'::regproc)").fetchone())
        assert connection.execute("select count(*) from braid_store.tenants").fetchone() == (2,)
    before = snapshot.definitions(project)
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match=r"99\.0\.0") as caught:
        paste(project, older)
    assert "newer" in str(caught.value.diag.message_hint)
    assert snapshot.definitions(project) == before


@pytest.mark.any_version
def test_a_failure_leaves_nothing(project: str) -> None:
    before = snapshot.definitions(project)
    broken = bundle().replace("create or replace function braid.version()", "create or replace function nowhere.v()")
    with pytest.raises(psycopg.errors.InvalidSchemaName, match=r"core/95_upkeep/7_status/version\.sql: .*nowhere"):
        paste(project, broken)
    assert snapshot.definitions(project) == before
    with psycopg.connect(project) as connection:
        assert connection.execute("select to_regnamespace('braid')").fetchone() == (None,)


# Locks


@pytest.mark.any_version
def test_it_gets_its_turn_when_a_transaction_ends(
    project: str, newer: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions that queue behind the bundle wait no longer than one of its tries."""
    paste(project, bundle())
    monkeypatch.setattr(session, "ATTEMPTS", 1000)
    text = newer()
    reading = "select * from braid.collections"
    with (
        psycopg.connect(project) as first,
        psycopg.connect(project, autocommit=True) as behind,
        psycopg.connect(project, autocommit=True) as watching,
        ThreadPoolExecutor(1) as pool,
    ):
        first.execute(reading)
        upgrade = pool.submit(paste, project, text)
        wait_and_go_on(behind, watching, reading)
        assert not upgrade.done()
        first.rollback()
        assert upgrade.result(PATIENCE)[0].startswith("pgbraid 99.0.0 is installed, with: core, ")


@pytest.mark.any_version
def test_it_names_who_does_not_end(project: str, newer: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    paste(project, bundle())
    monkeypatch.setattr(session, "ATTEMPTS", 2)
    text = newer()
    before = snapshot.definitions(project)
    with psycopg.connect(project) as reader:
        reader.execute("select * from braid.collections")
        holder = f"process {reader.info.backend_pid}"
        with pytest.raises(psycopg.errors.LockNotAvailable, match=f"in 2 tries: {holder} uses") as caught:
            paste(project, text)
    assert "pg_stat_activity" in str(caught.value.diag.message_hint)
    assert snapshot.definitions(project) == before


# State after the bundle has run


def test_each_role_may_do_its_part(installed: str) -> None:
    tenant = "0b8d3f5e-1f0a-4b43-8f5b-1f1f6d6f7a01"
    assert request(installed, "service_role", f"select braid.create_tenant('{tenant}') > 0") == [(True,)]
    written = "select status from braid.upsert_document('call-1', 'They object to the price per seat.')"
    deleted = "select braid.delete_document('call-1')"
    # Users only read until the project grants more.
    for query in (written, deleted, "select braid.clear_collection('default')"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
            request(installed, "authenticated", query, tenant)
    with psycopg.connect(installed, autocommit=True) as owner:
        owner.execute("grant braid_writer to authenticated with inherit true")
        owner.execute(bundle().encode())
        assert request(installed, "authenticated", written, tenant) == [("inserted",)]
        owner.execute("revoke braid_writer from authenticated")
    search = "select external_id from braid.hybrid_search('price objections')"
    assert request(installed, "authenticated", search, tenant) == [("call-1",)]
    assert request(installed, "authenticated", "select (auth.jwt() -> 'app_metadata' ->> 'tenant_id')", tenant) == [
        (tenant,)
    ]
    for role, query, message in (
        ("anon", search, "permission denied"),
        ("authenticated", search, "no tenant"),
        ("anon", written, "permission denied"),
        ("authenticated", "select braid.create_tenant('mine')", "permission denied"),
        ("authenticated", "select * from braid_store.postings", "permission denied"),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match=message):
            request(installed, role, query)
    with psycopg.connect(installed, autocommit=True) as owner:
        owner.execute("select braid.set_access(public_tenant => %s)", (tenant,))
        owner.execute("grant braid_reader to anon with inherit true")
    assert request(installed, "anon", search) == [("call-1",)]
    with psycopg.connect(installed, autocommit=True) as owner:
        owner.execute("revoke braid_reader from anon")


@pytest.mark.any_version
def test_semantic_search_and_the_driver_work(installed: str) -> None:
    with pgbraid.connect(installed, embedder=HashEmbedder()) as client:
        client.add_documents([{"external_id": "a", "content": "price per seat"}])
        assert client.embed_pending() == 1
        (found,) = client.search("seat price")
        assert (found.full_text_rank, found.semantic_rank) == (1, 1)


def test_timeouts_are_those_of_the_roles(installed: str) -> None:
    """The functions set no timeouts of their own, so the roles' timeouts apply."""
    with psycopg.connect(installed) as connection:
        assert connection.execute(
            "select count(*) from pg_proc where pronamespace::regnamespace::text ~ '^braid'"
            " and proconfig::text ~ 'statement_timeout'"
        ).fetchone() == (0,)


# Exposure


def exposed(platform: embedded.Server) -> str | None:
    with psycopg.connect(platform.dsn_for("postgres", supabase.ADMIN)) as admin:
        row = admin.execute(
            "select substr(s, 18) from pg_db_role_setting d, unnest(setconfig) s"
            " where setrole = 'authenticator'::regrole and starts_with(s, 'pgrst.db_schemas=')"
        ).fetchone()
    return row[0] if row else None


def set_exposed(platform: embedded.Server, value: str | None) -> None:
    with psycopg.connect(platform.dsn_for("postgres", supabase.ADMIN), autocommit=True) as admin:
        if value is None:
            admin.execute("alter role authenticator reset pgrst.db_schemas")
        else:
            admin.execute(f"alter role authenticator set pgrst.db_schemas = '{value}'")


@pytest.mark.any_version
def test_the_dashboards_choice_is_not_overruled(project: str, platform: embedded.Server) -> None:
    assert any(line.startswith(DASHBOARD) for line in paste(project, bundle()))
    assert exposed(platform) is None


@pytest.mark.any_version
@pytest.mark.parametrize("given", ["asked for", "set already"])
def test_the_schema_is_exposed_by_sql(project: str, platform: embedded.Server, given: str) -> None:
    text = bundle()
    try:
        if given == "asked for":
            text = text.replace("v_exposed text := ''", "v_exposed text := 'public, graphql_public'")
            assert text != bundle()
        else:
            set_exposed(platform, "public, graphql_public")
        for _ in range(2):
            assert len(paste(project, text)) == 1
            assert exposed(platform) == "public, graphql_public, braid"
    finally:
        set_exposed(platform, None)


@pytest.mark.any_version
def test_make_bundle_writes_it(tmp_path: Path) -> None:
    target = tmp_path / "dist" / "pgbraid.sql"
    result = CliRunner().invoke(cli, ["bundle", "--output", str(target)])
    assert result.exit_code == 0, result.output
    assert target.read_text() == bundle() == CliRunner().invoke(cli, ["bundle"]).output
