"""Test upgrades from an earlier version: stored data stays, and the result equals a fresh installation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from pgbraid.errors import InstallationError, VersionMismatchError
from pgbraid.install import choice, install
from support import Templates, snapshot
from support.package import Package

Connection = psycopg.Connection[Any]
VERSION = "sql/core/95_upkeep/7_status/version.sql"
PARTS = ("sync",)


@pytest.fixture(scope="module")
def template(templates: Templates) -> str:
    """Return a database with one part, whose installation takes half the time of all parts'."""
    return templates.name(frozenset(PARTS))


@pytest.fixture(autouse=True)
def _one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "default_parts", lambda found: choice.with_needs(found, PARTS))


def test_an_upgrade_equals_a_fresh_install(package: Package, dsn: str, db: Connection) -> None:
    """The earlier version has one function more, one less, others with another signature, and a view with another
    column."""
    fresh = snapshot.definitions(dsn)
    collections = package.text("sql/core/40_collections/2_read/collections.sql")
    package.change(
        {
            "sql/core/95_upkeep/gone.sql": "create or replace function braid.gone() returns int language sql return 1;",
            VERSION: package.text(VERSION).replace("returns text", "returns table (version text)"),
            "sql/core/20_tenancy/3_tenants/create_tenant.sql": package.text(
                "sql/core/20_tenancy/3_tenants/create_tenant.sql"
            )
            .replace("tenant text", "name text")
            .replace("create_tenant.tenant", "create_tenant.name"),
            "sql/core/95_upkeep/6_maintain/merge_due.sql": None,
            "sql/core/40_collections/2_read/collections.sql": collections.replace("select ", "select 1 as first, ", 1),
        }
    )
    install(dsn)
    assert snapshot.definitions(dsn).keys() != fresh.keys()
    package.restore()
    assert install(dsn).functions_applied
    assert snapshot.definitions(dsn) == fresh


def test_functions_that_stay_as_they_are_keep_what_sessions_prepared(
    package: Package, dsn: str, db: Connection
) -> None:
    """Unchanged functions keep prepared statements working, even if other functions change their signature."""
    db.execute("select braid.upsert_document('a', 'the quick brown fox')")
    db.execute("prepare search as select external_id from braid.hybrid_search('fox')")
    assert db.execute("execute search").fetchall() == [("a",)]
    package.change({VERSION: package.text(VERSION).replace("returns text", "returns table (version text)")})
    assert install(dsn).functions_applied
    assert db.execute("execute search").fetchall() == [("a",)]


def test_a_function_that_a_policy_needs_changes_its_shape(package: Package, dsn: str, db: Connection) -> None:
    db.execute("select braid.upsert_document('a', 'the quick brown fox')")
    name = "sql/core/20_tenancy/1_session/session_tenant_id.sql"
    package.change({name: package.text(name).replace("returns int", "returns bigint")})
    install(dsn)
    package.restore()
    fresh = snapshot.definitions(dsn)
    assert install(dsn).functions_applied
    assert snapshot.definitions(dsn).keys() == fresh.keys()
    assert db.execute("select external_id from braid.full_text_search('fox')").fetchall() == [("a",)]


# Refused upgrades name the reason and change nothing


def refused(dsn: str, match: str) -> VersionMismatchError:
    before = snapshot.rows(dsn)
    with pytest.raises(VersionMismatchError, match=match) as caught:
        install(dsn)
    assert snapshot.rows(dsn) == before
    assert caught.value.sqlstate == "55000"
    assert caught.value.hint
    return caught.value


@pytest.mark.any_version
def test_a_migration_that_was_changed_after_it_had_been_applied(package: Package, dsn: str) -> None:
    name = "sync.0001.baseline"
    file = f"migrations/parts/sync/{name}.sql"
    package.change({file: package.text(file).replace("last_error text", "last_error varchar")})
    error = refused(dsn, f"the migration {name} of this pgbraid, .* is not the one that was applied")
    assert "export-tenant" in str(error.hint)


@pytest.mark.any_version
def test_a_migration_that_the_package_lacks(package: Package, dsn: str, bare_dsn: Callable[..., str]) -> None:
    package.change({"migrations/core/9999.more.sql": "-- depends:\nselect 1;\n"})
    newer = bare_dsn()
    install(newer)
    package.restore()
    refused(newer, r"the migration 9999\.more, which this pgbraid, .*, does not know")


@pytest.mark.any_version
def test_a_database_from_before_the_baseline(dsn: str, db: Connection) -> None:
    db.execute('update braid_store.installation set migrations = \'{"0001.tenancy": "x"}\'')
    db.execute("delete from braid_store._yoyo_migration where migration_id <> '0001.baseline'")
    db.execute("update braid_store._yoyo_migration set migration_id = '0001.tenancy'")
    error = refused(dsn, r"from before pgbraid 0\.1\.0, and cannot be upgraded")
    assert "export each tenant" in str(error.hint) and "pgbraid import-tenant" in str(error.hint)


@pytest.mark.any_version
def test_a_newer_version(package: Package, dsn: str) -> None:
    package.change({}, "99.1.0")
    install(dsn)
    package.restore()
    refused(dsn, r"pgbraid 99\.1\.0, which is newer")


# Failures


@pytest.mark.parametrize(
    ("is_installed", "file"),
    [
        (False, "migrations/core/9999.broken.sql"),
        (False, "sql/core/99_privileges/zz.sql"),
        (True, "sql/core/10_foundation/1_schemas/zz.sql"),
        (True, "migrations/core/9999.broken.sql"),
        (True, "sql/core/95_upkeep/zz.sql"),
        (True, "sql/core/99_privileges/zz.sql"),
    ],
)
def test_an_error_leaves_what_was_there(
    package: Package, bare_dsn: Callable[..., str], dsn: str, is_installed: bool, file: str
) -> None:
    used = dsn if is_installed else bare_dsn()
    if is_installed:
        install(dsn)  # gives the clone roles of its own
        with psycopg.connect(used) as connection:
            connection.execute("select braid.upsert_document('a', 'the quick brown fox')")
    before = snapshot.rows(used)
    package.change(
        {
            VERSION: package.text(VERSION).replace("returns text", "returns table (version text)"),
            "migrations/core/9998.more.sql": "-- depends:\ncreate table braid_store.more (tenant_id int);\n"
            "alter table braid_store.documents add column more int;\n",
            file: "-- depends: 9998.more\ncreate temp table half_done ();\nselect 1 / 0;\n",
        },
        "99.0.0",
    )
    with pytest.raises(InstallationError, match=f"{file}: division by zero") as caught:
        install(used)
    assert caught.value.sqlstate == "22012"
    assert snapshot.rows(used) == before
    package.restore()
    assert install(used).changed != is_installed
    with psycopg.connect(used) as connection:
        connection.execute("select braid.upsert_document('a', 'the quick brown fox')")
        assert connection.execute("select external_id from braid.full_text_search('fox')").fetchall() == [("a",)]
