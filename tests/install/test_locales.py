"""Test databases with other locales: they lower letters in other ways, and the C locale knows only ASCII letters."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pgbraid import embedded
from pgbraid.install import install
from support import make_fast, temporary_folder

Connection = psycopg.Connection[Any]
NOW = "2025-03-05 12:00+00"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Yield a folder that the server's own user can read."""
    folder = temporary_folder()
    folder.chmod(0o755)
    yield folder
    embedded.stop(folder / "home")
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def turkish(folder: Path, pg_version: int) -> Iterator[Connection]:
    """Yield a connection to a database in which lower('I') is a dotless i."""
    done = None
    if shutil.which("localedef"):
        command = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(folder / "tr_TR.UTF-8")]
        done = subprocess.run(command, capture_output=True)
    if done is None or done.returncode:
        pytest.skip("localedef cannot make the locale tr_TR.UTF-8: its sources are in Debian's package locales")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCPATH", str(folder))
        server = embedded.ensure_running(folder / "home", pg_version)
    make_fast(server)
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        connection.execute("create database turkish template template0 locale_provider libc locale 'tr_TR.UTF-8'")
    install(server.dsn_for("turkish"))
    with psycopg.connect(server.dsn_for("turkish"), autocommit=True) as connection:
        assert connection.execute("select lower('I'), upper('i')").fetchone() == ("ı", "İ")
        yield connection


@pytest.mark.parametrize(
    ("timeframe", "first_day"),
    [
        ("FRIDAY", "2025-02-28"),
        ("IN APRIL 2024", "2024-04-01"),
        ("SINCE YESTERDAY", "2025-03-04"),
        ("THIS WEEK", "2025-03-03"),
        ("[-INFINITY,2025-01-01)", None),
        ("P1D", "2025-03-04"),
        ("2024-04", "2024-04-01"),
        ("SINCE 5TH APRIL 2024", "2024-04-05"),
        ("FRI. 5-12 APRIL 2024", "2024-04-05"),
        ("31/12/2024", "2024-12-31"),
        ("LATE JAN. '24", "2024-01-21"),
    ],
)
def test_timeframes_in_capitals(turkish: Connection, timeframe: str, first_day: str | None) -> None:
    row = turkish.execute(
        "select starts_at at time zone 'UTC' from braid.parse_timeframe(%s, 'UTC', %s)", (timeframe, NOW)
    ).fetchone()
    assert row is not None
    assert (None if row[0] is None else row[0].date().isoformat()) == first_day


def test_a_timeframe_in_the_query_in_capitals(turkish: Connection) -> None:
    row = turkish.execute("select braid.extract_timeframe('PRICING SINCE LAST FRIDAY', 'UTC', %s)::text", (NOW,))
    assert "PRICING" in (found := str(row.fetchone())) and "FRIDAY" not in found


def test_languages_tenant_headers_and_queries_in_capitals(turkish: Connection) -> None:
    # Each name has an I, which Turkish lowers to another letter.
    turkish.execute("select braid.upsert_document('a', 'die Häuser der Anna', language => 'GERMAN')")
    turkish.execute("select braid.upsert_document('b', 'le case nuove', language => 'ITALIAN')")
    turkish.execute("select braid.upsert_document('c', 'Nimm die Reisen', language => 'DE-DE')")
    for query, language, name in [("case", "italian", "b"), ("casa", "it", "b"), ("CASE", "IT", "b")]:
        rows = turkish.execute(
            "select external_id from braid.full_text_search(%s, options => jsonb_build_object('language', %s::text))",
            (query, language),
        )
        assert rows.fetchall() == [(name,)], (query, language)
    turkish.execute("select braid.set_access(claim_path => '{tenant}', tenant_header => 'X-TENANT-ID',"
                    " trusted_claim_roles => '{service_role}')")  # fmt: skip
    turkish.execute("select braid.create_tenant('acme')")
    turkish.execute("select braid.add_trusted_role(session_user, 'gateway')")
    with turkish.transaction():
        for name, value in (("jwt.claims", '{"role": "service_role"}'), ("headers", '{"x-tenant-id": "acme"}')):
            turkish.execute("select set_config(%s, %s, true)", (f"request.{name}", value))
        row = turkish.execute("select braid_store.request_tenant_key()").fetchone()
    assert row == ("acme",)


def test_words_are_corrected_by_the_same_letters(turkish: Connection) -> None:
    turkish.execute("select braid.upsert_document('d', 'INVOICES of IKEA and Ilford INTEREST')")
    for typed, meant in [("INVOICSE", "invoices"), ("INTEREST RATEIS", None)]:
        row = turkish.execute("select braid.search_json(%s) -> 'stats' -> 'corrections'", (typed,)).fetchone()
        assert "ı" not in str(row), row
        assert meant is None or meant in str(row), row


def test_a_locale_of_ascii_keeps_queries_of_other_letters(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn(options="template template0 encoding 'UTF8' locale_provider libc locale 'C'")
    install(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(
            "select searched from braid_store.extract_timeframes('проект last week', 'UTC', %s)", (NOW,)
        )
        assert row.fetchone() == ("проект",)
        connection.execute("select braid.upsert_document('a', 'проект', occurred_at => '2025-02-27')")
        rows = connection.execute(
            "select external_id, full_text_rank from braid.recall('проект last week', timeframe => 'auto',"
            " reference_time => %s, time_zone => 'UTC')",
            (NOW,),
        )
        assert rows.fetchall() == [("a", 1)]
        connection.execute("select braid.set_search_log('default', keep_query => 'text')")
        for query in ("École", "ÉCOLE"):
            connection.execute("select braid.logged_search(%s)", (query,))
        assert connection.execute("select query, calls from braid.query_statistics").fetchall() == [("école", 2)]
