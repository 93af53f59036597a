"""Test syncing with the user's own tables."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid.errors import InvalidArgumentError, NotFoundError
from pgbraid.stored import SyncProblem

Connection = psycopg.Connection[Any]


@pytest.fixture
def articles(db: Connection) -> Connection:
    db.execute('create table articles (id int, "a,b" text, body text, primary key (id, "a,b"))')
    db.execute("insert into articles values (1, 'x', 'amber'), (2, 'y', 'basket')")
    return db


def test_the_client(client: pgbraid.Client, articles: Connection) -> None:
    client.sync_table("public.articles", content=["body"], id=["id", "a,b"], metadata=["a,b"])
    assert client.check_sync("public.articles") == [
        SyncProblem("default", name, "row without document") for name in ("{1,x}", "{2,y}")
    ]
    assert client.sync_status()[0].state == "backfill"
    assert client.apply_changes(10) == {"rows": 4, "failed": 0, "warnings": [], "complete": True}
    assert client.check_sync("public.articles") == []
    (status,) = client.sync_status()
    assert (status.table_name, status.tenant, status.state, status.document_count) == (
        "public.articles", "default", "follow", 2,
    )  # fmt: skip
    found = client.get_document("{1,x}")
    assert found is not None and found.metadata == {"a,b": "x"}
    assert client.unsync_table("public.articles", keep_documents=True) == 0
    assert client.count() == 2
    with pytest.raises(NotFoundError):
        client.unsync_table("public.articles")
    with pytest.raises(InvalidArgumentError):
        client.sync_table("public.articles", content=["body"], tenant="default", tenant_column="a,b")


def test_rows_of_another_tenant(client: pgbraid.Client, articles: Connection) -> None:
    client.create_tenant("other")
    client.sync_table("public.articles", content=["body"], id=["id", "a,b"], tenant="other")
    assert client.sync_status()[0].tenant == "other"
    client.unsync_table("public.articles")
    client.sync_table("public.articles", content=["body"], id=["id", "a,b"], tenant_column="a,b")
    assert client.sync_status()[0].tenant is None


def test_numbers_of_thousands_of_digits(client: pgbraid.Client, db: Connection) -> None:
    """Python itself reads only integers of up to 4,300 digits."""
    db.execute("create table articles (id int primary key, body text, n numeric)")
    db.execute(
        "insert into articles values (1, 'amber', repeat('9', 5000)::numeric), (2, 'amber', -1.5),"
        " (3, 'amber', ('0.' || repeat('3', 5000))::numeric)"
    )
    client.sync_table("public.articles", content=["body"], metadata=["n"])
    client.apply_changes()
    assert client.check_sync("public.articles") == []
    expected = {"1": Decimal("9" * 5000), "2": -1.5, "3": Decimal("0." + "3" * 5000)}
    assert {row.external_id: row.metadata["n"] for row in client.search("amber", mode="full_text")} == expected
    assert {row.external_id: row.metadata["n"] for row in client.list_documents()} == expected
    for external_id, number in expected.items():
        found = client.get_document(external_id)
        assert found is not None and found.metadata == {"n": number}
    assert client.get_document("4") is None
