"""Test pgbraid as an extension: create, update, drop, dump and restore, and beside other ways to install."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from install.upgrade import later
from install.upgrade.filling import MEMBERS, TRUSTED, answers, fill, problems
from psycopg.conninfo import make_conninfo

from pgbraid import __version__
from pgbraid.cli import cli
from pgbraid.errors import InstallationError, InvalidArgumentError, VersionMismatchError
from pgbraid.install import install, uninstall, uninstall_parts
from pgbraid.install.choice import choose
from pgbraid_tools.bundles import bundle as bundles
from pgbraid_tools.bundles import extension
from support import snapshot
from support.calls import full_text, one, set_tenant, upsert
from support.extensions import ExtensibleServer, extensible_server

Connection = psycopg.Connection[Any]
CREATE = "create extension pgbraid version '{}' cascade"
# Objects that only the extension has: they help to restore.
RESTORING = re.compile(r"(take_restored_row|grant_restored_role)\b")
# The extension's script writes these tables itself, so no dump has them.
WRITTEN = ("installation", "parts")


@pytest.fixture(scope="module")
def extended(pg_version: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExtensibleServer]:
    """Yield a server that has the extension in this version, by `make install`, and in a later one."""
    with extensible_server(pg_version) as extended:
        folder = tmp_path_factory.mktemp("extension")
        written = CliRunner().invoke(cli, ["bundle", "--extension", str(folder)])
        assert written.exit_code == 0, written.output
        make = ["make", "-C", str(folder), f"PG_CONFIG={extended.bin / 'pg_config'}"]
        subprocess.run([*make, "install"], check=True, capture_output=True)
        with later_version(tmp_path_factory.mktemp("later")):
            files = extension.extension(choose((), (), ()), [__version__])
        for name, text in files.items():
            if name.endswith(".sql"):
                (extended.extensions / name).write_text(text)
        yield extended


@contextmanager
def later_version(folder: Path) -> Iterator[None]:
    """Make the package a later release."""
    with later.later_release(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(extension, "__version__", later.VERSION)
        yield


@contextmanager
def default_version(extended: ExtensibleServer, version: str) -> Iterator[None]:
    """Make a version the server's default, which a restore creates."""
    control = extended.extensions / "pgbraid.control"
    text = control.read_text()
    control.write_text(text.replace(f"default_version = '{__version__}'", f"default_version = '{version}'"))
    try:
        yield
    finally:
        control.write_text(text)


@contextmanager
def connect(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def definitions(dsn: str) -> dict[tuple[str, str], str]:
    return {key: text for key, text in snapshot.definitions(dsn).items() if not RESTORING.search(key[1])}


def contents(db: Connection) -> dict[str, Any]:
    """Return all rows of each table, and the state of each sequence."""
    found = {}
    for name, kind in db.execute(
        "select c.oid::regclass::text, c.relkind::text from pg_class c"
        " where c.relnamespace::regnamespace::text in ('braid_store', 'braid_locks') and c.relkind in ('r', 'S')"
    ).fetchall():
        if kind == "S":
            found[name] = db.execute(f"select last_value, is_called from {name}".encode()).fetchone()
        elif name.partition(".")[2] not in WRITTEN and "yoyo" not in name:
            # An update adds columns at the end.
            rows = f"select to_jsonb(t)::text from only {name} t order by 1"
            found[name] = db.execute(rows.encode()).fetchall()
    return found


@contextmanager
def logins(extended: ExtensibleServer) -> Iterator[None]:
    """Drop the logins of filled databases at the end."""
    try:
        yield
    finally:
        with connect(extended.server.dsn_for("postgres")) as admin:
            for role in (*MEMBERS.values(), *TRUSTED.values()):
                admin.execute(f"drop role if exists {role}".encode())


@pytest.fixture
def filled(extended: ExtensibleServer) -> Iterator[None]:
    """Allow a test to fill databases."""
    with logins(extended):
        yield


# Test the files


def test_the_files_are_what_postgresql_and_pgxn_expect(tmp_path: Path) -> None:
    files = extension.extension(choose((), (), ()), ["0.0.1"])
    metadata = json.loads(files["META.json"])
    assert {"name", "abstract", "version", "maintainer", "license", "provides", "meta-spec"} <= metadata.keys()
    assert metadata["version"] == __version__ and metadata["provides"]["pgbraid"]["file"] in files
    assert f"default_version = '{__version__}'" in files["pgbraid.control"]
    # dbdev splits each line at its only "=".
    lines = [line for line in files["pgbraid.control"].splitlines() if not line.startswith("#")]
    assert all(line.count("=") == 1 for line in lines)
    assert files[f"pgbraid--0.0.1--{__version__}.sql"] == files[f"pgbraid--{__version__}.sql"]
    assert all(text.isascii() for text in files.values())


@pytest.mark.parametrize("version", [__version__, "99.0.0", "0.1", "../0.0.1"])
def test_only_earlier_versions_are_updated(version: str) -> None:
    with pytest.raises(InvalidArgumentError, match="is not a version before"):
        extension.extension(choose((), (), ()), [version])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--tle", "--part", "sync"],
        ["--from", "0.0.1"],
        ["--extension", "a", "--output", "b"],
        ["--tle", "--extension", "a"],
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: list[str]) -> None:
    assert CliRunner().invoke(cli, ["bundle", *arguments]).exit_code == 2


# Create it and drop it


def test_an_owner_without_superuser_creates_it(extended: ExtensibleServer) -> None:
    with connect(extended.server.dsn_for("postgres")) as admin:
        admin.execute("create role app_owner login createrole")
    with extended.database("installed") as other, extended.database("app", "app_owner") as dsn:
        install(other)
        with connect(make_conninfo(dsn, user="postgres")) as admin:
            admin.execute("create extension vector")
        with connect(dsn) as db:
            db.execute("create extension pgbraid")
            assert db.execute("select extname from pg_extension where extname <> 'plpgsql' order by 1").fetchall() == [
                ("pgbraid",),
                ("vector",),
            ]
            db.execute("select braid.create_tenant('default'), braid.create_collection('default')")
            upsert(db, [{"external_id": "a", "content": "a quick fox"}])
            assert full_text(db, "fox")
        assert definitions(dsn) == definitions(other)
        assert not install(dsn).changed
        found = CliRunner().invoke(cli, ["status", "--dsn", dsn])
        assert f"database {__version__}, which is an extension" in found.output
        assert "which is an extension" in CliRunner().invoke(cli, ["doctor", "--dsn", dsn]).output
        assert "extension" not in CliRunner().invoke(cli, ["status", "--dsn", other]).output
        with connect(dsn) as db:
            db.execute("drop extension pgbraid")
            assert one(db, "select count(*) from pg_namespace where nspname ~ '^braid'") == 0
            # The roles stay, and do not hinder the next time.
            db.execute("create extension pgbraid")
            db.execute("select braid.create_tenant('default')")
        assert uninstall(dsn).schemas == ("braid", "braid_calls", "braid_locks", "braid_store")
        with connect(dsn) as db:
            assert one(db, "select count(*) from pg_roles where rolname = 'braid_owner_app'") == 0
    with connect(extended.server.dsn_for("postgres")) as admin:
        admin.execute("drop role app_owner")


def test_the_session_does_not_matter(extended: ExtensibleServer) -> None:
    with extended.database("installed") as other, extended.database("app") as dsn:
        install(other)
        options = "-c search_path=public -c datestyle=SQL,DMY -c bytea_output=escape"
        with connect(make_conninfo(dsn, options=options)) as db:
            db.execute("create extension pgbraid cascade")
            assert one(db, "show search_path") == "public" and one(db, "show datestyle") == "SQL, DMY"
        assert definitions(dsn) == definitions(other)


# Dump and restore


@pytest.mark.parametrize(
    ("form", "way"),
    [("plain", "created"), ("custom", "updated"), ("plain", "adopted"), ("custom", "adopted and updated")],
)
def test_a_dump_loses_nothing(extended: ExtensibleServer, filled: None, tmp_path: Path, way: str, form: str) -> None:
    version = later.VERSION if "updated" in way else __version__
    file = tmp_path / "dump"
    with extended.database("app") as dsn, connect(dsn) as db:
        if "adopted" in way:
            install(dsn)
            fill(db)
            db.execute(CREATE.format(version))
        else:
            db.execute(CREATE.format(__version__))
            db.execute("select braid.create_tenant('default')")
            fill(db)
        if way == "updated":
            db.execute(f"alter extension pgbraid update to '{version}'")
        assert one(db, "select version from braid_store.installation") == version
        # Work goes on, and makes tables.
        before, found, defined = contents(db), answers(db), snapshot.definitions(dsn)
        assert len([name for name in before if re.search(r"\.(vectors|search_log)_\d+$", name)]) >= 2
        assert problems(db) == []
        extended.run("pg_dump", f"--format={form}", "--file", file, dsn)
    with default_version(extended, version), extended.database("app") as dsn:
        if form == "plain":
            extended.run(
                "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file", file, dsn
            )
        else:
            extended.run("pg_restore", "--exit-on-error", "--dbname", dsn, file)
        with connect(dsn) as db:
            restored = contents(db)
            assert restored.keys() == before.keys()
            assert [name for name in before if restored[name] != before[name]] == []
            assert answers(db) == found
            assert problems(db) == []
            again = snapshot.definitions(dsn)
            assert again.keys() == defined.keys()
            assert {key: text for key, text in again.items() if text != defined[key]} == {}
            set_tenant(db, "acme")
            upsert(db, [{"external_id": "new", "content": "zebrafish"}], "articles")
            assert full_text(db, "zebrafish", collection="articles")
        if version == __version__:
            assert not install(dsn).functions_applied


def test_a_dump_of_another_version_is_restored_into_that_version(extended: ExtensibleServer, tmp_path: Path) -> None:
    file = tmp_path / "dump.sql"
    with extended.database("app") as dsn, connect(dsn) as db:
        db.execute(CREATE.format(__version__))
        db.execute("select braid.create_tenant('default'), braid.create_collection('default')")
        upsert(db, [{"external_id": "a", "content": "a quick fox"}])
        extended.run("pg_dump", "--file", file, dsn)
    psql = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file", str(file)]
    with default_version(extended, later.VERSION):
        with extended.database("app") as dsn:
            done = subprocess.run([extended.bin / "psql", *psql, dsn], capture_output=True, text=True)
            assert done.returncode != 0
            assert f"the dump has the tables of pgbraid {__version__}" in done.stderr
            assert f"create extension pgbraid version '{__version__}' cascade" in done.stderr
        with extended.database("app") as dsn, connect(dsn) as db:
            db.execute(CREATE.format(__version__))
            extended.run("psql", *psql, dsn)
            db.execute("alter extension pgbraid update")
            assert one(db, "select version from braid_store.installation") == later.VERSION
            assert full_text(db, "fox")


def test_a_dump_becomes_a_database_of_another_name(extended: ExtensibleServer, filled: None, tmp_path: Path) -> None:
    """Vector shards and triggers of synced tables come with the roles of the dumped database."""
    file = tmp_path / "dump.sql"
    with extended.database("app") as dsn, connect(dsn) as db:
        db.execute(CREATE.format(__version__))
        db.execute("select braid.create_tenant('default')")
        fill(db)
        found, defined = answers(db), snapshot.definitions(dsn)
        extended.run("pg_dump", "--file", file, dsn)
        with extended.database("other") as other, connect(other) as restored:
            options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
            extended.run("psql", *options, "--file", file, other)
            install(other, repair=True)
            assert snapshot.definitions(other) == defined
            assert answers(restored) == found
            owned = "select count(*) from pg_class where relowner = 'braid_owner_app'::regrole"
            assert one(restored, owned) == 0
            # The next dump of it is as good.
            extended.run("pg_dump", "--file", file, other)
        with extended.database("other") as other, connect(other) as restored:
            extended.run("psql", *options, "--file", file, other)
            assert snapshot.definitions(other) == defined
            assert answers(restored) == found


# Test it beside the other ways to install


def refused(dsn: str, text: str) -> psycopg.Error:
    before = snapshot.rows(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(text.encode())
    assert caught.value.diag.message_hint
    assert snapshot.rows(dsn) == before
    return caught.value


def test_only_the_extension_changes_what_belongs_to_it(extended: ExtensibleServer) -> None:
    script = extension.extension(choose(["core", "sync"], (), ()))[f"pgbraid--{__version__}.sql"]
    with extended.database("app") as dsn, connect(dsn) as db:
        own = extended.extensions / f"pgbraid--{__version__}.sql"
        whole = own.read_text()
        own.write_text(script)
        db.execute(CREATE.format(__version__))
        own.write_text(whole)
        assert install(dsn).parts == ("core", "sync")
        for change in (
            lambda: install(dsn, with_parts=["memory"]),
            lambda: uninstall_parts(dsn, ["sync"]),
        ):
            before = snapshot.rows(dsn)
            with pytest.raises(InstallationError, match="is an extension in this database") as caught:
                change()
            assert caught.value.hint and "alter extension pgbraid update" in caught.value.hint
            assert snapshot.rows(dsn) == before
        assert "is an extension" in str(refused(dsn, bundles.bundle()))
        assert "is an extension" in str(refused(dsn, bundles.part_bundles(["memory"])["memory"]))
        # A repair changes nothing else.
        db.execute("create or replace function braid.version() returns text language sql as 'select null'")
        install(dsn)
        assert one(db, "select braid.version()")
        assert one(db, "select count(*) from pg_proc p where p.pronamespace = 'braid'::regnamespace and not exists"
            " (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')") == 0  # fmt: skip


def test_pgbraid_upgrade_updates_the_extension(extended: ExtensibleServer, tmp_path: Path) -> None:
    update = extended.extensions / f"pgbraid--{__version__}--{later.VERSION}.sql"
    with extended.database("app") as dsn, connect(dsn) as db:
        db.execute(CREATE.format(__version__))
        install(dsn)
        upsert(db, [{"external_id": "a", "content": "a quick fox"}])
        with later_version(tmp_path):
            text = update.read_text()
            update.unlink()
            with pytest.raises(InstallationError, match="is not updated") as caught:
                install(dsn)
            assert "pgbraid bundle --extension" in str(caught.value.hint)
            update.write_text(text)
            report = install(dsn)
            assert report.version == later.VERSION
            assert not install(dsn).changed
            assert full_text(db, "fox")
        with pytest.raises(VersionMismatchError, match="newer"):
            install(dsn)


def test_dropping_it_asks_for_what_was_made_at_run_time(extended: ExtensibleServer, filled: None) -> None:
    with extended.database("app") as dsn, connect(dsn) as db:
        db.execute("create extension pgbraid cascade")
        db.execute("select braid.create_tenant('default')")
        fill(db)
        with pytest.raises(psycopg.errors.DependentObjectsStillExist):
            db.execute("drop extension pgbraid")
        assert uninstall(dsn).roles_kept is None
        assert one(db, "select count(*) from pg_extension where extname = 'pgbraid'") == 0
        db.execute("update notes set body = 'nobody follows it'")
