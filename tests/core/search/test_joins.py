"""Results join the user's own tables, in queries and in views, under row-level security."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from support.calls import set_tenant, upsert

Connection = psycopg.Connection[Any]

OWN = """
create table accounts (
  tenant_id int not null default braid.current_tenant_id(), id text, owner text, terms text, primary key (tenant_id, id)
);
alter table accounts enable row level security;
create policy own on accounts using (tenant_id = (select braid.current_tenant_id()));
create view account_calls with (security_invoker = true) as
  select a.owner, r.external_id, r.score
  from braid.full_text_search('price', match_count => 100) r
  join accounts a on a.id = r.metadata ->> 'account';
create view account_documents with (security_invoker = true) as
  select a.owner, d.external_id
  from braid_store.documents d join accounts a on a.id = d.metadata ->> 'account';
grant select on accounts, account_calls, account_documents to braid_reader;
"""


@pytest.fixture
def logins(
    db: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> Iterator[dict[str, Connection]]:
    """Create two tenants whose accounts and calls have the same names, and a reader of each."""
    db.execute(OWN.encode())
    readers = {}
    for tenant, owner in (("a", "Ana"), ("b", "Ben")):
        db.execute("select braid.create_tenant(%s)", (tenant,))
        set_tenant(db, tenant)
        db.execute(
            "insert into accounts (id, owner, terms) values ('acme', %s, 'price'), ('globex', %s, 'lunch')",
            (f"{owner} of acme", f"{owner} of globex"),
        )
        upsert(
            db,
            [
                {"external_id": "call-1", "content": "The price.", "metadata": {"account": "acme"}},
                {"external_id": "call-2", "content": "Price of lunch.", "metadata": {"account": "globex"}},
                {"external_id": f"only-{tenant}", "content": "Price.", "metadata": {"account": "nobody's"}},
            ],
        )
        reader = make_login(f"reader_{tenant}", "braid_reader")
        db.execute("select braid.add_tenant_member(%s, %s)", (tenant, reader))
        readers[owner] = connect_as(reader)
    yield readers
    db.execute("drop table accounts cascade")


def both(logins: dict[str, Connection], query: str) -> dict[str, list[Any]]:
    return {owner: connection.execute(query.encode()).fetchall() for owner, connection in logins.items()}


def test_by_metadata_in_a_view(logins: dict[str, Connection]) -> None:
    for query in ("select owner, external_id from account_calls", "select * from account_documents"):
        assert {owner: sorted(rows) for owner, rows in both(logins, query).items()} == {
            owner: [(f"{owner} of acme", "call-1"), (f"{owner} of globex", "call-2")] for owner in ("Ana", "Ben")
        }


def test_by_external_id_in_a_query(logins: dict[str, Connection]) -> None:
    found = both(
        logins,
        "select w.note, r.full_text_rank from braid.hybrid_search('price', match_count => 10) r"
        " join (values ('only-a', 'first'), ('only-b', 'second')) w (id, note) on w.id = r.external_id",
    )
    assert {owner: [note for note, _ in rows] for owner, rows in found.items()} == {"Ana": ["first"], "Ben": ["second"]}


def test_a_search_for_each_row(logins: dict[str, Connection]) -> None:
    found = both(
        logins,
        "select a.id, count(r.chunk_id) from accounts a"
        " left join lateral braid.full_text_search(a.terms) r on true group by a.id order by a.id",
    )
    assert found == {"Ana": [("acme", 3), ("globex", 1)], "Ben": [("acme", 3), ("globex", 1)]}
