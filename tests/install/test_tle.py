"""Test pgbraid as a trusted language extension.

With PGBRAID_PG_TLE, a folder with pg_tle's control file, scripts and library, this runs against pg_tle. Without it, it
runs against a stand-in, which has pg_tle's functions and writes what they are given into the server's files.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from install.test_extension import connect, contents, definitions, later_version, logins
from install.upgrade import later
from install.upgrade.filling import answers, fill, problems
from psycopg.conninfo import make_conninfo

from pgbraid import __version__, embedded
from pgbraid.cli import cli
from pgbraid.embedded.programs import server_account
from pgbraid.install import install
from pgbraid.install.choice import choose
from pgbraid_tools.bundles.bundle import pieces
from pgbraid_tools.bundles.extension import extension, trusted_extension
from support import snapshot
from support.calls import full_text, one, upsert
from support.extensions import ExtensibleServer, extensible_server

Connection = psycopg.Connection[Any]
STAND_IN = """
do $$
begin
  create role pgtle_admin;
exception when duplicate_object then
  null;
end
$$;
create schema pgtle;
grant usage on schema pgtle to public;
create function pgtle.folder() returns text language sql as
  $$ select setting || '/extension/' from pg_config where name = 'SHAREDIR' $$;
create function pgtle.write(name text, content text) returns void language plpgsql security definer as $$
declare
  v_object oid;
begin
  if content ~ '[$]_pgtle_[io]_[$]' then
    raise exception 'invalid character in extension definition';
  end if;
  v_object := lo_from_bytea(0, convert_to(content, 'UTF8'));
  perform lo_export(v_object, pgtle.folder() || name), lo_unlink(v_object);
end
$$;
create function pgtle.available_extensions(out name name, out default_version text) returns setof record
  language sql stable as $$ select name, default_version from pg_available_extensions where name = 'pgbraid' $$;
create function pgtle.available_extension_versions(out name name, out version text) returns setof record
  language sql stable as $$ select name, version from pg_available_extension_versions where name = 'pgbraid' $$;
create function pgtle.extension_update_paths(name text, out source text, out target text, out path text)
  returns setof record language sql stable as
  $$ select * from pg_extension_update_paths(extension_update_paths.name) $$;
create function pgtle.install_extension(name text, version text, description text, ext text,
                                        requires text[] default null, schema text default null)
  returns boolean language plpgsql as $$
begin
  if exists (select from pgtle.available_extensions()) then
    raise exception 'extension "%" already installed', name using errcode = '42710';
  end if;
  perform pgtle.write(name || '--' || version || '.sql', ext);
  perform pgtle.write(name || '.control', format(
    E'default_version = %L\\ncomment = %L\\nrelocatable = false\\nsuperuser = false\\n'
    'trusted = false\\nrequires = %L\\n%s',
    version, description, array_to_string(requires || array['pg_tle'], ','), 'schema = ' || quote_literal(schema)));
  return true;
end
$$;
create function pgtle.install_extension_version_sql(name text, version text, ext text) returns boolean
  language sql as $$ select pgtle.write(name || '--' || version || '.sql', ext), true; select true $$;
create function pgtle.install_update_path(name text, fromvers text, tovers text, ext text) returns boolean
  language sql as $$ select pgtle.write(name || '--' || fromvers || '--' || tovers || '.sql', ext); select true $$;
create function pgtle.set_default_version(name text, version text) returns boolean language sql security definer as $$
  select pgtle.write(name || '.control', regexp_replace(
    pg_read_file(pgtle.folder() || name || '.control'), E'default_version = ''[^'']*''',
    format('default_version = %L', version)));
  select true
$$;
"""


@pytest.fixture(scope="module")
def real() -> Path | None:
    folder = os.environ.get("PGBRAID_PG_TLE")
    return Path(folder) if folder else None


@pytest.fixture
def extended(pg_version: int, real: Path | None) -> Iterator[ExtensibleServer]:
    """Yield a server with pg_tle, or with its stand-in."""
    with extensible_server(pg_version) as extended:
        folder = extended.extensions
        if real is not None:
            for file in real.rglob("pg_tle*"):
                if file.is_file():
                    library = Path(extended.run("pg_config", "--pkglibdir").strip())
                    shutil.copy(file, library if file.suffix in (".so", ".dylib") else folder)
            with connect(extended.server.dsn_for("postgres")) as admin:
                admin.execute("alter system set shared_preload_libraries = 'pg_tle'")
            home = extended.server.data_dir
            embedded.stop(home)
            embedded.ensure_running(home)
        else:
            (folder / "pg_tle.control").write_text("default_version = '1'\nschema = 'pg_catalog'\n")
            (folder / "pg_tle--1.sql").write_text(STAND_IN)
            account = server_account()
            if account.switch:
                os.chown(folder, account.uid, account.gid)
        yield extended


@pytest.fixture
def filled(extended: ExtensibleServer) -> Iterator[None]:
    """Allow a test to fill databases."""
    with logins(extended):
        yield


@contextmanager
def app(extended: ExtensibleServer) -> Iterator[tuple[str, Connection]]:
    """Yield the DSN of a database, and a session of its owner, who is no superuser."""
    with connect(extended.server.dsn_for("postgres")) as admin:
        admin.execute("create role app_owner login createrole")
        with extended.database("app", "app_owner") as dsn:
            with connect(make_conninfo(dsn, user="postgres")) as inside:
                inside.execute("create extension vector; create extension pg_tle; grant pgtle_admin to app_owner")
            with connect(dsn) as db:
                yield dsn, db


def test_it_is_created_updated_and_dropped(extended: ExtensibleServer, tmp_path: Path) -> None:
    with extended.database("installed") as other, app(extended) as (dsn, db):
        install(other)
        file = tmp_path / "tle.sql"
        written = CliRunner().invoke(cli, ["bundle", "--tle", "--output", str(file)])
        assert written.exit_code == 0, written.output
        for _ in range(2):  # running it again changes nothing
            db.execute(file.read_bytes())
        db.execute("create extension pgbraid")
        assert definitions(dsn) == definitions(other)
        db.execute("select braid.create_tenant('default'), braid.create_collection('default')")
        upsert(db, [{"external_id": "a", "content": "a quick fox"}])
        assert not install(dsn).changed
        with later_version(tmp_path):
            newer = trusted_extension(choose((), (), ()))
        db.execute(newer.encode())
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match=r"99\.0\.0 already, which is newer"):
            db.execute(file.read_bytes())
        db.execute("alter extension pgbraid update")
        assert one(db, "select version from braid_store.installation") == later.VERSION
        assert full_text(db, "fox")
        db.execute("drop extension pgbraid")
        assert one(db, "select count(*) from pg_namespace where nspname ~ '^braid'") == 0


def test_a_dump_loses_nothing(extended: ExtensibleServer, filled: None, tmp_path: Path) -> None:
    file = tmp_path / "dump"
    with extended.database("app") as dsn, connect(dsn) as db:
        db.execute("create extension pg_tle")
        db.execute(trusted_extension(choose((), (), ())).encode())
        db.execute("create extension pgbraid cascade")
        db.execute("select braid.create_tenant('default')")
        fill(db)
        with later_version(tmp_path):
            db.execute(trusted_extension(choose((), (), ())).encode())
        db.execute("alter extension pgbraid update")
        before, found, defined = contents(db), answers(db), snapshot.definitions(dsn)
        extended.run("pg_dump", "--file", file, dsn)
    with extended.database("app") as dsn:
        extended.run(
            "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file", file, dsn
        )
        with connect(dsn) as db:
            restored = contents(db)
            assert restored.keys() == before.keys()
            assert [name for name in before if restored[name] != before[name]] == []
            assert answers(db) == found
            assert problems(db) == []
        assert snapshot.definitions(dsn) == defined


def test_it_comes_in_pieces_for_the_sql_editor(extended: ExtensibleServer) -> None:
    with app(extended) as (_, db):
        texts = pieces(trusted_extension(choose((), (), ())))
        assert max(len(text) for text in texts.values()) < 980_000
        for text in texts.values():
            db.execute(text.encode())
        db.execute("create extension pgbraid cascade")
        assert one(db, "select braid.version()") == __version__


def test_without_pg_tle_it_says_what_to_do(extended: ExtensibleServer) -> None:
    with extended.database("app") as dsn, connect(dsn) as db:
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="has no pg_tle") as caught:
            db.execute(trusted_extension(choose((), (), ())).encode())
        assert "shared_preload_libraries" in str(caught.value.diag.message_hint)


def test_dbdev_takes_the_folder(extended: ExtensibleServer) -> None:
    """Run the migration that `dbdev add` writes: its program reads the folder of the extension in this way."""
    files = extension(choose((), (), ()))
    control = dict(
        re.findall(r"^(\w+) = '?(.*?)'?$", files["pgbraid.control"].replace("#", "-- "), re.MULTILINE),
    )
    scripts = [name.removesuffix(".sql").split("--") for name in files if name.endswith(".sql")]
    assert scripts == [["pgbraid", __version__]] and "README.md" in files
    migration = (
        f"select pgtle.install_extension('pgbraid', '{__version__}', $comment_0f3a${control['comment']}$comment_0f3a$,"
        f" $sql_0f3a${files[f'pgbraid--{__version__}.sql']}$sql_0f3a$, array['{control['requires']}']::text[]);"
        'drop extension if exists "pgbraid";'
        f'create extension "pgbraid" schema "{control["schema"]}" version \'{control["default_version"]}\';'
        f"select pgtle.set_default_version('pgbraid', '{control['default_version']}');"
    )
    with app(extended) as (_, db):
        db.execute(migration.encode())
        assert one(db, "select braid.version()") == __version__
