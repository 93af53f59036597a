"""Grow a tenant, and measure by the server's own counts what each API function reads of it."""

from __future__ import annotations

import random
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

from support.calls import vector
from support.parts import chosen, is_installed

Connection = psycopg.Connection[Any]
# For each table, with its indexes and TOAST table, this counts rows read, index entries read, and pages requested.
KINDS = ("rows", "entries", "pages")
Reads = dict[str, tuple[int, int, int]]

# These are the counts of the transaction itself, which reports nothing to the server before its end.
COUNTS = r"""
select coalesce(o.relname, t.relname, c.relname),
       sum(case when c.relkind = 'i' then 0
                else pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid) end)::bigint,
       sum(case when c.relkind = 'i' then pg_stat_get_xact_tuples_returned(c.oid) else 0 end)::bigint,
       sum(pg_stat_get_xact_blocks_fetched(c.oid))::bigint
from pg_class c
left join pg_index i on i.indexrelid = c.oid
left join pg_class t on t.oid = i.indrelid
left join pg_class o on o.reltoastrelid = coalesce(t.oid, c.oid)
where 'braid_store'::regnamespace in (c.relnamespace, o.relnamespace) and c.relkind in ('r', 'i', 't')
group by 1
"""


def letters(number: int) -> str:
    """Return a number as a word of letters, because several numbers would share tokens."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


def document(number: int) -> dict[str, Any]:
    """Return a document. Ten documents form a conversation with its own file and speaker; the first ten share a word
    that no other has."""
    dice = random.Random(number)
    # No two documents are equal, because equal scores would be ordered by id.
    words = ["alpha"] * dice.randint(1, 9) + ["half" if number % 2 else "other"] * dice.randint(1, 9)
    words += [f"unique{letters(number)}", f"word{letters(int(300 * dice.random() ** 2))}"] + ["needle"] * (number < 10)
    given = {
        "external_id": f"doc {number}",
        "content": " ".join(words),
        "source_uri": f"file {number // 10}",
        "speaker": f"speaker{letters(number // 10)}",
        "category": "first" if number < 10 else "later",
        "occurred_at": f"{2000 + number // 5000}-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z",
        "importance": number % 7,
        "metadata": {"conversation": f"c{number // 10}", "place": number, "color": "red" if number < 10 else "blue"},
    }
    if number % 2 == 0:
        given["embedding"] = vector(round(dice.gauss(0, 1), 3) for _ in range(3))
    return given


@dataclass
class Tenant:
    """Hold a collection `docs` that grows, and a collection `moving`, which is in a model change and does not grow."""

    dsn: str
    admin: Connection
    login: str
    size: int = 0
    # Calls refer to these values, which exist at every size.
    values: dict[str, Any] = field(default_factory=dict)

    def connect(self, plan_cache_mode: str) -> Connection:
        db = psycopg.connect(make_conninfo(self.dsn, user=self.login), autocommit=True)
        # Parallel workers have their own counts.
        for name, value in {"max_parallel_workers_per_gather": "0", "plan_cache_mode": plan_cache_mode}.items():
            db.execute("select set_config(%s, %s, false)", (name, value))
        return db

    def grow(self, size: int, batches: int = 10) -> None:
        with self.connect("auto") as db:
            for batch in range(batches):
                first, last = (self.size + (size - self.size) * n // batches for n in (batch, batch + 1))
                documents = Jsonb([document(number) for number in range(first, last)])
                db.execute("select count(*) from braid.upsert_documents(%s, 'docs')", (documents,))
        self.size = size

    def maintain(self) -> None:
        while not self.admin.execute("select (braid.maintain('1 minute') ->> 'complete')::boolean").fetchall()[0][0]:
            pass
        self.admin.execute("vacuum analyze")


@contextmanager
def tenant(admin_dsn: str, template: str) -> Iterator[Tenant]:
    name = f"plans_{uuid.uuid4().hex[:8]}"
    identifier = sql.Identifier(name)
    with psycopg.connect(admin_dsn, autocommit=True) as server:
        server.execute(sql.SQL("create database {} template {}").format(identifier, sql.Identifier(template)))
        server.execute(sql.SQL("create role {} login").format(identifier))
        server.execute(sql.SQL("grant braid_writer to {}").format(identifier))
        try:
            dsn = make_conninfo(admin_dsn, dbname=name)
            with psycopg.connect(dsn, autocommit=True) as admin:
                created = Tenant(dsn, admin, name)
                _fill(created)
                yield created
        finally:
            server.execute(sql.SQL("drop database {} with (force)").format(identifier))
            server.execute(sql.SQL("drop role {}").format(identifier))


def _fill(created: Tenant) -> None:
    db = created.admin
    db.execute("select braid.create_tenant('bench'), braid.add_tenant_member('bench', %s)", (created.login,))
    db.execute("select braid.add_trusted_role(%s, 'administrator')", (created.login,))
    db.execute(sql.SQL("grant create on schema public to {}").format(sql.Identifier(created.login)))
    db.execute("select set_config('braid.tenant', 'bench', false)")
    # With this threshold, a thousand vectors of three dimensions make a shard.
    db.execute("update braid_store.vector_settings set exact_rows = 330")
    for table in db.execute(
        "select oid::regclass::text from pg_class where relkind = 'r' and relnamespace = 'braid_store'::regnamespace"
    ).fetchall():
        db.execute(f"alter table {table[0]} set (autovacuum_enabled = off)")
    for name in ("docs", "moving"):
        db.execute(
            "select braid.create_collection(%s, 'simple', 3, embedding_model => 'first', "
            """indexed_attributes => '{"conversation": "text", "place": "number"}')""",
            (name,),
        )
    db.execute("select count(*) from braid.upsert_documents(%s, 'moving')", (Jsonb(list(map(document, range(20)))),))
    if "model_change" in chosen():
        db.execute("select braid.start_model_change('moving', 'second', 4)")
    for _ in range(3):
        db.execute("select braid.maintain()")
    if "model_change" in chosen():
        db.execute(
            "select braid.store_embeddings(array_agg(chunk_id), array_fill('[1,2,3,4]'::vector, array[count(*)::int]),"
            " 'moving', 'second') from braid.claim_embedding_jobs(100, collection => 'moving', "
            "embedding_model => 'second')"
        )
    created.grow(20, 1)
    for name, is_waiting in (("embedded", False), ("waiting", True)):
        created.values[name] = [
            row[0]
            for row in db.execute(
                "select c.id from braid_store.chunks c join braid_store.collections l on l.id = c.collection_id "
                "where l.name = 'docs' and %s = exists (select from braid_store.embedding_jobs j "
                "where j.chunk_id = c.id) order by c.id limit 5",
                (is_waiting,),
            )
        ]
    documents = [document(number) for number in range(500, 1001)]
    export = "select r from braid.export_tenant('moving') r"
    records = db.execute(export).fetchall() if is_installed(export) else []
    created.values |= {
        "chunks": created.values["embedded"] + created.values["waiting"],
        "unchanged": Jsonb(documents),
        "updated": Jsonb([{**given, "category": "changed"} for given in documents]),
        "replaced": Jsonb([{**given, "content": "changed"} for given in documents]),
        "embedded_documents": Jsonb([{**given, "embedding": place} for place, given in enumerate(documents, 1)]),
        "records": Jsonb([row[0] for row in records]),
    }


def reads(db: Connection, statement: str, prepare: Iterable[str], values: dict[str, Any]) -> Reads:
    """Return what a statement reads of each table, and roll it back."""
    with db.transaction(force_rollback=True):
        for other in prepare:
            db.execute(other.encode(), values)
        before = _counts(db)
        db.execute(statement.encode(), values).fetchall()
        after = _counts(db)
    return {
        table: (after[table][0] - was[0], after[table][1] - was[1], after[table][2] - was[2])
        for table, was in ((table, before[table]) for table in after)
    }


def _counts(db: Connection) -> dict[str, tuple[int, int, int]]:
    counts: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for table, *numbers in db.execute(COUNTS.encode()).fetchall():
        # Every shard is its own table, and the tenant has one at a time. Postings are in either of two tables.
        name = next((kind for kind in ("vectors", "postings") if table.startswith(f"{kind}_")), table)
        old = counts[name]
        counts[name] = (old[0] + numbers[0], old[1] + numbers[1], old[2] + numbers[2])
    return counts
