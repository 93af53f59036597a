"""Test that an installation can be repeated, run at once, cut short, and done without a superuser, and what it
leaves."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from yoyo import read_migrations
from yoyo.connections import DatabaseURI

from pgbraid import __version__, embedded
from pgbraid.errors import InstallationError, PermissionDeniedError, PgbraidError, VersionMismatchError
from pgbraid.install import choice, frozen, install, read_installation, resources
from support import Templates, snapshot
from support.package import FROZEN, Package
from support.roles import definer_role, owner_role
from support.waiting import PATIENCE

Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def template(templates: Templates) -> str:
    """Return a database with the core alone, whose installation takes half the time of all parts'."""
    return templates.name(frozenset())


@pytest.fixture(autouse=True)
def _core_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "default_parts", lambda found: choice.with_needs(found, ()))


def works(dsn: str) -> bool:
    """Return whether the login of the DSN can use the installation."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select braid.upsert_document('a', 'the quick brown fox')")
        found = connection.execute("select external_id from braid.full_text_search('fox')").fetchall()
    return found == [("a",)]


def test_a_fresh_install_works_and_reports_what_it_did(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn()
    lines: list[str] = []
    report = install(dsn, only=[*resources.resources().parts], notify=lines.append)
    assert report.version == __version__
    assert report.previous_version is None
    assert report.migrations == resources.migration_ids()
    assert report.vector_created
    assert report.functions_applied
    assert report.tenant_created
    assert report.collection_created
    assert [line for line in lines if line.startswith("migration")] == [
        f"migration {name} applied" for name in resources.migration_ids()
    ]
    assert works(dsn)


def test_the_default_collection_is_that_of_the_offline_model(db: Connection) -> None:
    row = db.execute("select name, embedding_model, dimensions, distance, text_config from braid.collections")
    assert row.fetchall() == [("default", "all-MiniLM-L6-v2", 384, "cosine", "english")]


def test_a_second_run_writes_nothing(dsn: str) -> None:
    install(dsn)  # gives the clone roles of its own
    before = snapshot.rows(dsn)
    report = install(dsn)
    assert not report.changed
    assert snapshot.rows(dsn) == before


def test_repair_restores_what_was_damaged(dsn: str, db: Connection) -> None:
    install(dsn, with_parts=["monitoring"])
    before = snapshot.definitions(dsn)
    db.execute("drop function braid.version(); drop view braid.storage")
    assert install(dsn).functions_applied  # notices that the function is absent
    assert snapshot.definitions(dsn) == before
    db.execute("drop view braid.storage")
    assert not install(dsn).changed
    assert install(dsn, repair=True).functions_applied
    assert snapshot.definitions(dsn) == before


@pytest.mark.any_version
def test_ten_at_once_in_one_database_make_one_install(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn()
    with ThreadPoolExecutor(10) as pool:
        reports = list(pool.map(lambda _: install(dsn), range(10)))
    assert sorted(report.changed for report in reports) == [False] * 9 + [True]
    assert works(dsn)


@pytest.mark.any_version
def test_ten_at_once_in_ten_databases_of_a_new_cluster(cluster: embedded.Server) -> None:
    names = [f"d{number}" for number in range(10)]
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        for name in names:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda name: install(cluster.dsn_for(name)), names))
    assert all(works(cluster.dsn_for(name)) for name in names)


def test_an_install_waits_for_another_and_says_so(dsn: str) -> None:
    install(dsn)
    lines: list[str] = []
    seen = threading.Event()

    def notify(line: str) -> None:
        lines.append(line)
        seen.set()

    with psycopg.connect(dsn) as other, ThreadPoolExecutor(1) as pool:
        other.execute("lock table braid_store.installation in exclusive mode")
        waiting = pool.submit(install, dsn, notify=notify)
        assert seen.wait(PATIENCE)
        other.rollback()
        assert not waiting.result(PATIENCE).changed
    assert lines[0] == "waiting for another installation to finish"


def test_yoyo_finds_its_record_in_order(dsn: str) -> None:
    """yoyo, run by itself, finds all migrations recorded and has none to apply."""
    from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend

    install(dsn, with_parts=[*resources.resources().parts])
    with psycopg.connect(dsn, autocommit=True) as connection:

        class Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]
            def connect(self, dburi: object) -> Connection:
                connection.execute("set search_path to braid_store")
                return connection

        folders = [str(path) for path in (resources.ROOT / "migrations").glob("**/")]
        backend = Backend(DatabaseURI("postgresql+psycopg", *[None] * 5, {}), "_yoyo_migration")
        assert list(backend.to_apply(read_migrations(*folders))) == []


def test_yoyos_tables_belong_to_the_owner_role_and_have_row_security(db: Connection) -> None:
    rows = db.execute(
        "select relname, relowner::regrole::text, relrowsecurity from pg_class"
        " where relnamespace = 'braid_store'::regnamespace and relname like '%yoyo%' and relkind = 'r' order by 1"
    ).fetchall()
    assert rows == [
        ("_yoyo_log", owner_role(db), True),
        ("_yoyo_migration", owner_role(db), True),
        ("_yoyo_version", owner_role(db), True),
    ]


# Others than superusers install


@pytest.mark.parametrize("schema", ["extensions", "public", 'Odd "name"'])
def test_a_database_owner_installs_where_pgvector_is_already(cluster: embedded.Server, schema: str) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create role app_owner login createrole")
        connection.execute("create role app login")
        connection.execute("create database app owner app_owner")
    with psycopg.connect(cluster.dsn_for("app"), autocommit=True) as connection:
        name = sql.Identifier(schema)
        connection.execute(sql.SQL("create schema if not exists {}").format(name))
        connection.execute(sql.SQL("create extension vector schema {}").format(name))
        connection.execute(sql.SQL("grant usage on schema {} to app_owner with grant option").format(name))
    owner_dsn = cluster.dsn_for("app", "app_owner")
    report = install(owner_dsn)
    assert (report.vector_schema, report.vector_created) == (schema, False)
    assert works(owner_dsn)
    assert not install(owner_dsn).changed
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        connection.execute("grant braid_writer to app")
        connection.execute("select braid.create_tenant('acme')")
        connection.execute("select braid.add_tenant_member('acme', 'app')")
    assert works(cluster.dsn_for("app", "app"))

    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create database second owner app_owner")
    with psycopg.connect(cluster.dsn_for("second"), autocommit=True) as connection:
        connection.execute("create extension vector")
    assert install(cluster.dsn_for("second", "app_owner")).changed
    assert works(cluster.dsn_for("second", "app_owner"))


def test_another_login_is_told_what_it_lacks(
    bare_dsn: Callable[..., str], make_login: Callable[..., str], server: embedded.Server
) -> None:
    login = make_login("other", options="createrole")
    dsn = bare_dsn(login)
    with psycopg.connect(make_conninfo(dsn, user="postgres"), autocommit=True) as connection:
        connection.execute("create extension vector")
    install(make_conninfo(dsn, user="postgres"))
    with pytest.raises(InstallationError, match=f"may not act for it|{login}") as caught:
        install(dsn)
    assert caught.value.sqlstate == "42501"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("Have the role's creator run: grant")
    with psycopg.connect(make_conninfo(dsn, user="postgres"), autocommit=True) as connection:
        connection.execute(caught.value.hint.removeprefix("Have the role's creator run: "))
    assert install(dsn).changed
    assert works(dsn)


def test_a_login_that_cannot_grant_the_roles_of_others_is_told_so(
    bare_dsn: Callable[..., str], make_login: Callable[..., str], dsn: str
) -> None:
    """A superuser's first installation created the cluster's roles, so this login cannot grant them."""
    login = make_login("other", options="createrole")
    second = bare_dsn(login)
    with psycopg.connect(make_conninfo(second, user="postgres"), autocommit=True) as connection:
        connection.execute("create extension vector")
    lines: list[str] = []
    install(second, notify=lines.append)
    (said,) = [line for line in lines if "cannot grant" in line]
    with psycopg.connect(second, autocommit=True) as connection:
        grant = sql.SQL("grant braid_reader to {}").format(sql.Identifier(make_login("ana")))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(grant)
        with psycopg.connect(make_conninfo(second, user="postgres"), autocommit=True) as creator:
            creator.execute(said.split("have their creator run: ")[1].encode())
        connection.execute(grant)


def test_a_login_that_may_not_create_pgvector_is_told_so(
    bare_dsn: Callable[..., str], make_login: Callable[..., str]
) -> None:
    login = make_login("other", options="createrole")
    with pytest.raises(InstallationError, match="pgvector is not in this database") as caught:
        install(bare_dsn(login))
    assert caught.value.hint == "Have a superuser run in this database: create extension vector;"


@pytest.mark.any_version
def test_a_closed_schema_of_pgvector_is_reported(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create role app_owner login createrole")
        connection.execute("create database app owner app_owner")
    with psycopg.connect(cluster.dsn_for("app"), autocommit=True) as connection:
        connection.execute("create schema extensions")
        connection.execute("create extension vector schema extensions")
        connection.execute("grant usage on schema extensions to app_owner")
    with pytest.raises(InstallationError, match="may not use the schema extensions") as caught:
        install(cluster.dsn_for("app", "app_owner"))
    assert caught.value.hint is not None
    with psycopg.connect(cluster.dsn_for("app"), autocommit=True) as connection:
        # The rollback removed the roles, so they are made first, as the hint says.
        connection.execute("grant usage on schema extensions to app_owner with grant option")
    assert install(cluster.dsn_for("app", "app_owner")).changed


@pytest.mark.any_version
def test_a_schema_of_pgvector_that_the_owner_may_not_even_use_is_reported(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create role app_owner login createrole")
        connection.execute("create database app owner app_owner")
    with psycopg.connect(cluster.dsn_for("app"), autocommit=True) as connection:
        connection.execute("create schema extensions")
        connection.execute("create extension vector schema extensions")
    with pytest.raises(InstallationError, match="may not use the schema extensions"):
        install(cluster.dsn_for("app", "app_owner"))


def test_pgvector_goes_to_the_schema_extensions_where_there_is_one(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create schema extensions")
    assert install(dsn).vector_schema == "extensions"
    assert works(dsn)


# Refusals


@pytest.mark.any_version
def test_a_database_that_a_newer_package_migrated_is_left_alone(dsn: str, db: Connection) -> None:
    db.execute(
        "insert into braid_store._yoyo_migration (migration_hash, migration_id)"
        " values (md5('x'), '9999.from_the_future')"
    )
    before = snapshot.rows(dsn)
    with pytest.raises(VersionMismatchError, match=r"9999\.from_the_future") as caught:
        install(dsn, repair=True)
    assert caught.value.sqlstate == "55000"
    assert "pip install --upgrade pgbraid" in str(caught.value.hint)
    assert snapshot.rows(dsn) == before


@pytest.mark.any_version
def test_a_newer_version_is_not_downgraded(dsn: str, db: Connection) -> None:
    db.execute("update braid_store.installation set version = '99.0.0'")
    with pytest.raises(VersionMismatchError, match=r"99\.0\.0"):
        install(dsn, repair=True)


@pytest.mark.any_version
def test_another_encoding_is_refused(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn(options="encoding 'LATIN1' locale 'C' template template0")
    with pytest.raises(InstallationError, match="LATIN1"):
        install(dsn)


@pytest.mark.any_version
def test_a_server_that_is_not_there(server: embedded.Server) -> None:
    with pytest.raises(PgbraidError, match="No such file") as caught:
        install("postgresql:///x?host=/nonexistent")
    assert caught.value.hint


@pytest.mark.any_version
def test_an_edited_release_is_refused(tmp_path: Any) -> None:
    (tmp_path / "0001.a.sql").write_text("select 1;\n")
    digest = hashlib.sha256(b"select 1;\n").hexdigest()
    (tmp_path / "frozen.sha256").write_text(f"{digest}  0001.a.sql\n")
    frozen.check_frozen(tmp_path)
    (tmp_path / "0001.a.sql").write_text("select 2;\n")
    with pytest.raises(InstallationError, match=r"0001\.a\.sql"):
        frozen.check_frozen(tmp_path)


@pytest.mark.any_version
def test_released_migrations_are_as_they_were() -> None:
    frozen.check_frozen()


@pytest.mark.any_version
@pytest.mark.parametrize("is_missing", [False, True], ids=["changed", "missing"])
def test_no_released_migration_is_changed_or_missing(package: Package, dsn: str, is_missing: bool) -> None:
    frozen = package.text(FROZEN)
    for name in frozen.split()[1::2]:
        file = f"migrations/{name}"
        package.change({file: None if is_missing else package.text(file) + "-- more\n", FROZEN: frozen})
        with pytest.raises(InstallationError, match=f"{re.escape(name)} is missing or was changed"):
            install(dsn)
        package.restore()


# Upgrades


def test_functions_of_an_earlier_version_are_replaced_or_gone(dsn: str, db: Connection) -> None:
    before = snapshot.definitions(dsn)
    db.execute("drop function braid.version()")
    for statement in (
        "create function braid.version() returns int language sql return 1",
        "create function braid.forgotten(a int) returns int language sql return a",
        f"alter function braid.version() owner to {owner_role(db)}",
        f"alter function braid.forgotten(int) owner to {owner_role(db)}",
        "update braid_store.installation set version = '0.0.1'",
    ):
        db.execute(statement)
    report = install(dsn)
    assert report.previous_version == "0.0.1"
    assert snapshot.definitions(dsn) == before


def test_what_others_built_on_a_function_that_stays_is_kept(dsn: str, db: Connection) -> None:
    db.execute("create view public.mine as select braid.version() as version")
    db.execute("update braid_store.parts set content_hash = ''")
    install(dsn)
    assert db.execute("select version from public.mine").fetchone() == (__version__,)


def test_what_others_built_on_a_function_that_goes_stops_the_upgrade(dsn: str, db: Connection) -> None:
    db.execute("create function braid.forgotten() returns int language sql return 1")
    db.execute(f"alter function braid.forgotten() owner to {owner_role(db)}")
    db.execute("create view public.mine as select braid.forgotten() as one")
    db.execute("update braid_store.parts set content_hash = ''")
    before = snapshot.rows(dsn)
    with pytest.raises(InstallationError, match=r"view (public\.)?mine depends on"):
        install(dsn)
    assert snapshot.rows(dsn)["pg_proc"] == before["pg_proc"]
    db.execute("drop view public.mine")
    install(dsn)
    assert db.execute("select to_regprocedure('braid.forgotten()')").fetchone() == (None,)


def test_what_others_built_on_a_view_that_a_migration_drops_stops_the_upgrade(
    dsn: str, db: Connection, package: Package
) -> None:
    db.execute("create view public.mine as select name from braid.collections")
    package.change({"migrations/core/9999.collections.sql": "-- depends:\ndrop view braid.collections;\n"})
    before = snapshot.rows(dsn)
    with pytest.raises(InstallationError, match=r"view (public\.)?mine depends on") as caught:
        install(dsn)
    assert caught.value.hint and caught.value.hint.startswith("Drop them, run pgbraid upgrade")
    assert snapshot.rows(dsn) == before
    db.execute("drop view public.mine")
    install(dsn)
    assert db.execute("select name from braid.collections").fetchone() == ("default",)


# Commands read an installation


def test_reading_an_installation(dsn: str, bare_dsn: Callable[..., str], make_login: Callable[..., str]) -> None:
    with psycopg.connect(bare_dsn()) as connection:
        assert read_installation(connection) is None
    with psycopg.connect(dsn) as connection:
        found = read_installation(connection)
        assert found is not None
        assert (found.version, found.pending_migrations, found.is_this_package) == (__version__, (), True)
    login = make_login("reader", "braid_reader")
    with (
        psycopg.connect(make_conninfo(dsn, user=login)) as connection,
        pytest.raises(PermissionDeniedError, match="no tenant") as caught,
    ):
        read_installation(connection)
    assert "add_tenant_member" in str(caught.value.hint)
    with psycopg.connect(dsn) as connection:
        connection.execute("select braid.add_tenant_member('default', %s)", (login,))
    with psycopg.connect(make_conninfo(dsn, user=login)) as connection:
        found = read_installation(connection)
        assert found is not None
        assert (found.version, found.pending_migrations) == (__version__, ())


def test_a_login_without_any_grant_learns_what_it_needs(dsn: str, make_login: Callable[..., str]) -> None:
    with (
        psycopg.connect(make_conninfo(dsn, user=make_login("nobody"))) as connection,
        pytest.raises(PermissionDeniedError),
    ):
        read_installation(connection)


def test_functions_that_a_restore_gave_to_the_login_are_taken_back(dsn: str, db: Connection) -> None:
    db.execute("alter function braid_calls.write_documents(jsonb, text, vector[]) owner to current_user")
    assert install(dsn).functions_applied
    owner = db.execute("select proowner::regrole::text from pg_proc where proname = 'write_documents'").fetchone()
    assert owner == (definer_role(db),)
    assert not install(dsn).changed


@pytest.mark.any_version
def test_a_server_without_room_for_the_locks_says_what_to_raise(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn_for("postgres"), autocommit=True) as other:
        with pytest.raises(psycopg.errors.OutOfMemory):
            other.execute("select pg_advisory_lock(n) from generate_series(1, 1000000) n")
        # The session keeps the locks that it has taken so far.
        other.execute("select pg_advisory_unlock(n) from generate_series(1, 100) n")
        with pytest.raises(InstallationError, match="no room for more locks") as caught:
            install(cluster.dsn)
    assert "max_locks_per_transaction" in str(caught.value.hint)
    assert install(cluster.dsn).changed
