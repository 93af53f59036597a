"""Test that old names of functions, views and methods are refused, with the new name in the hint."""

from __future__ import annotations

import re

import psycopg
import pytest

import pgbraid
from pgbraid import errors

pytestmark = pytest.mark.any_version


@pytest.mark.parametrize("name", ["cut_over", "finish", "pause", "resume", "roll_back", "start"])
def test_functions_of_model_changes(dsn: str, name: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(f"select braid.{name}_model_migration('papers')".encode())
        error = errors.from_psycopg(caught.value)
        assert isinstance(error, errors.InvalidArgumentError) and f"braid.{name}_model_change(" in str(error.hint)


def test_the_number_of_rows(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.Error) as caught:
            connection.execute("select * from braid.list_embedding_jobs(job_count => 5)")
        assert "(match_count => 100)" in str(errors.from_psycopg(caught.value).hint)
        connection.execute("select * from braid.list_embedding_jobs(match_count => 5)")


def test_views(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        with pytest.raises(psycopg.Error) as caught:
            connection.execute("select * from braid.model_migrations")
        error = errors.from_psycopg(caught.value)
        assert error.hint == "write instead: select * from braid.model_changes"
        connection.execute(b"select * from braid.model_changes")


def test_methods_of_the_client(client: pgbraid.Client) -> None:
    for old, new in errors.RENAMED_METHODS.items():
        assert hasattr(client, new) and not hasattr(client, old)
        with pytest.raises(AttributeError, match=re.escape(f"no attribute '{old}'; its name is now: {new}")):
            getattr(client, old)
    with pytest.raises(AttributeError, match=r"no attribute 'serch'$"):
        client.serch  # type: ignore[attr-defined]  # noqa: B018


def test_arguments_and_keys(client: pgbraid.Client) -> None:
    turns = [{"speaker": "Ana", "text": "Hello."}]
    for call, hint in (
        ("select braid.sync_table('public.calls', segments => 'said')", "its name is now: turns"),
        ("select braid.upsert_document('call', segments => '[]')", "its name is now: turns"),
        ("""select braid.upsert_documents('[{"external_id": "call", "segments": []}]')""", "It is called turns now."),
    ):
        with pytest.raises(psycopg.Error) as caught:
            client.connection.execute(call.encode())
        error = errors.from_psycopg(caught.value)
        assert isinstance(error, errors.InvalidArgumentError) and error.hint == hint
    with pytest.raises(errors.InvalidArgumentError, match="it is called turns now"):
        client.add_documents([{"external_id": "call", "segments": turns}])
    with pytest.raises(errors.InvalidArgumentError, match="its name is now: turns"):
        client.sync_table("public.calls", segments="said")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'turn'"):
        client.sync_table("public.calls", turn="said")  # type: ignore[arg-type]
