"""Check that an installation does not depend on its session's settings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid import embedded
from pgbraid.cli import cli
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install
from pgbraid_tools.bundles.bundle import bundle
from support import snapshot

# These settings of `alter role … set` change what SQL means, how values are written, or where tables go.
HOSTILE = {
    "client_encoding": "LATIN1",
    "standard_conforming_strings": "off",
    "backslash_quote": "off",
    "escape_string_warning": "on",
    "search_path": "public, pg_temp",
    "check_function_bodies": "on",
    "transform_null_equals": "on",
    "array_nulls": "off",
    "quote_all_identifiers": "on",
    "row_security": "off",
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "serializable",
    "default_transaction_deferrable": "on",
    "datestyle": "German, DMY",
    "intervalstyle": "sql_standard",
    "timezone": "Asia/Kathmandu",
    "extra_float_digits": "-15",
    "bytea_output": "escape",
    "xmloption": "document",
    "lc_messages": "C",
    "lc_numeric": "C",
    "lc_monetary": "C",
    "default_text_search_config": "pg_catalog.turkish",
    "default_toast_compression": "pglz",
    "plpgsql.extra_errors": "all",
    "plpgsql.extra_warnings": "all",
    "plpgsql.variable_conflict": "use_variable",
    "plan_cache_mode": "force_custom_plan",
    "createrole_self_grant": "set, inherit",
    "statement_timeout": "1s",
    "lock_timeout": "1ms",
}


@pytest.fixture
def hostile(
    bare_dsn: Callable[..., str], make_login: Callable[..., str], server: embedded.Server
) -> Callable[..., str]:
    """Return a function that creates an empty database of a superuser with these settings."""

    def make(**settings: str) -> str:
        login = make_login("hostile", options="superuser")
        with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
            for name, value in settings.items():
                values = sql.SQL(", ").join(map(sql.Literal, value.split(", ") if name == "search_path" else [value]))
                change = sql.SQL("alter role {} set {} = {}").format(
                    sql.Identifier(login), sql.SQL(".").join(map(sql.Identifier, name.split("."))), values
                )
                connection.execute(change)
        return bare_dsn(login)

    return make


def definitions(dsn: str) -> dict[tuple[str, str], str]:
    """Return the definitions as read by a superuser without settings."""
    return snapshot.definitions(make_conninfo(dsn, user="postgres"))


@pytest.fixture
def plain(dsn: str) -> dict[tuple[str, str], str]:
    """Return the definitions of an installation by a session without settings."""
    return snapshot.definitions(dsn)


def psql(dsn: str, text: str, folder: Path, **environment: str) -> None:
    file = folder / "pgbraid.sql"
    file.write_text(text, encoding="utf-8")
    command = [str(installed_programs(18) / "psql"), dsn, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(file)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def works(dsn: str) -> None:
    with psycopg.connect(make_conninfo(dsn, user="postgres", client_encoding="utf8"), autocommit=True) as connection:
        connection.execute("set braid.tenant = 'default'")
        words = "select count(*) from braid_store.tokenize(array['don’t (d’accord) “price”'], 'english', true)"
        assert connection.execute(words).fetchone() == (7,)
        ranges = "select starts_at::date::text from braid.parse_timeframe('2026-01-01 – 2026-02-01', 'UTC')"
        assert connection.execute(ranges).fetchone() == ("2026-01-01",)


def test_under_settings_of_the_role(hostile: Callable[..., str], plain: dict[tuple[str, str], str]) -> None:
    dsn = hostile(**HOSTILE)
    install(dsn)
    assert definitions(dsn) == plain
    works(dsn)
    # A repair runs the files of functions and views again, also files with placeholders.
    install(dsn, repair=True)
    assert definitions(dsn) == plain


@pytest.mark.parametrize("encoding", ["LATIN1", "SJIS", "SQL_ASCII"])
def test_in_the_environments_encoding(
    bare_dsn: Callable[..., str], monkeypatch: pytest.MonkeyPatch, encoding: str, plain: dict[tuple[str, str], str]
) -> None:
    dsn = bare_dsn()
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    result = CliRunner().invoke(cli, ["init", "--dsn", dsn])
    assert result.exit_code == 0, result.output
    monkeypatch.delenv("PGCLIENTENCODING")
    assert definitions(dsn) == plain
    works(dsn)


def test_the_bundle_by_psql(hostile: Callable[..., str], plain: dict[tuple[str, str], str], tmp_path: Path) -> None:
    settings = {name: value for name, value in HOSTILE.items() if name not in ("statement_timeout", "lock_timeout")}
    # The bundle refuses a read-only session, because it cannot change the setting.
    settings["default_transaction_read_only"] = "off"
    dsn = hostile(**settings)
    psql(dsn, bundle(), tmp_path, PGCLIENTENCODING="LATIN1")
    assert definitions(dsn) == plain
    works(dsn)


@pytest.mark.any_version
def test_the_bundle_has_only_characters_that_every_encoding_has() -> None:
    assert bundle().isascii()


@pytest.mark.any_version
def test_a_read_only_session_is_told_what_to_run(bare_dsn: Callable[..., str]) -> None:
    with psycopg.connect(bare_dsn(), autocommit=True) as connection:
        connection.execute("set default_transaction_read_only = on")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction) as caught:
            connection.execute(bundle().encode())
        assert "set default_transaction_read_only = off" in str(caught.value.diag.message_hint)


def test_other_bodies_than_the_packages_are_seen_and_mended(bare_dsn: Callable[..., str]) -> None:
    """An older version may have installed garbled bodies under LATIN1 and still recorded the package's hash."""
    dsn = bare_dsn()
    install(dsn)
    before = snapshot.definitions(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        mojibake: Any = connection.execute(
            "select replace(pg_get_functiondef('braid_store.quotation_marks'::regproc), '”', 'â€')"
        ).fetchone()
        connection.execute(mojibake[0])
    said = CliRunner().invoke(cli, ["status", "--dsn", dsn]).output
    assert "1 have other bodies than in this package: braid_store.quotation_marks" in said
    assert "run: pgbraid upgrade" in said
    assert install(dsn).functions_applied
    assert snapshot.definitions(dsn) == before
    assert "\nfunctions   as in this package\n" in CliRunner().invoke(cli, ["status", "--dsn", dsn]).output
    assert not install(dsn).changed
