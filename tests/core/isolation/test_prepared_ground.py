"""An install into a database with others' objects does not build on them, and their owners gain nothing."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from pgbraid import embedded
from pgbraid.errors import InstallationError
from pgbraid.install import install


@pytest.fixture
def ground(server: embedded.Server) -> Iterator[tuple[str, str]]:
    """Yield the DSNs of an empty database: one of its superuser, one of a login that may create schemas."""
    name, mallory = f"ground_{uuid.uuid4().hex[:8]}", f"mallory_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
        admin.execute(sql.SQL("create role {} login").format(sql.Identifier(mallory)))
        admin.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
        try:
            with psycopg.connect(server.dsn_for(name), autocommit=True) as database:
                database.execute(
                    f"grant create on database {name} to {mallory}; grant create on schema public to {mallory}"
                )
            yield server.dsn_for(name), server.dsn_for(name, mallory)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
            admin.execute(sql.SQL("drop role {}").format(sql.Identifier(mallory)))


@pytest.mark.parametrize("schema", ["braid", "braid_store"])
def test_a_schema_of_somebody_else_is_refused(ground: tuple[str, str], schema: str) -> None:
    """The install refuses a schema of somebody else, whose owner could drop the tables, or add functions that calls
    would find first."""
    dsn, mallory = ground
    with psycopg.connect(mallory, autocommit=True) as connection:
        connection.execute(f"create schema {schema}; grant all on schema {schema} to public")
    with pytest.raises(InstallationError, match=f"schema {schema} ") as caught:
        install(dsn)
    assert caught.value.sqlstate == "42501"
    assert caught.value.hint


def test_objects_in_public_are_not_used(ground: tuple[str, str]) -> None:
    dsn, mallory = ground
    with psycopg.connect(mallory, autocommit=True) as connection:
        for name in (
            "format(text, name)",
            "quote_ident(name)",
            "to_regclass(name)",
            "current_tenant_id()",
            "set_config(text, name, boolean)",
        ):
            connection.execute(
                f"create function public.{name} returns text language plpgsql as"
                " $$ begin raise exception 'sprung as %', current_user; end $$"
            )
        connection.execute(
            "create table public.tenants (); create table public._yoyo_migration (); create table public.yoyo_lock ()"
        )
        connection.execute("create domain public.text as pg_catalog.text check (false)")
    assert install(dsn).changed
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set search_path = public, pg_catalog")
        connection.execute("select braid.upsert_document('a', 'A heron.')")
        assert connection.execute("select external_id from braid.full_text_search('heron')").fetchall() == [("a",)]
