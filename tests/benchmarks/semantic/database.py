"""Load one database with tenants of every size; pgbraid decides which tenants get a shard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import say
from benchmarks.semantic.corpus import DIMENSIONS, Corpus, copy_rows, document
from pgbraid import embedded
from pgbraid.install import install

Connection = psycopg.Connection[Any]
COLLECTION = "vectors"
READER, WRITER = "braid_bench_semantic_reader", "braid_bench_semantic_writer"
DATABASE = "semantic"


@dataclass
class Bench:
    """Hold a superuser's connection, and open connections of logins that policies bind."""

    dsn: str
    admin: Connection

    @contextmanager
    def connect(self, login: str, tenant: str) -> Iterator[Connection]:
        with psycopg.connect(make_conninfo(self.dsn, user=login), autocommit=True) as connection:
            connection.execute("select set_config('braid.tenant', %s, false)", (tenant,))
            connection.prepare_threshold = 0
            yield connection

    def tenant_id(self, tenant: str) -> int:
        row = self.admin.execute("select id from braid_store.tenants where key = %s", (tenant,)).fetchone()
        assert row is not None
        return int(row[0])

    def shard(self, tenant: str) -> dict[str, Any] | None:
        row = self.admin.execute(
            "select to_jsonb(s) from braid_store.vector_shards s where s.tenant_id = %s and s.state = 'serving'",
            (self.tenant_id(tenant),),
        ).fetchone()
        return None if row is None else row[0]


@contextmanager
def opened(server: embedded.Server) -> Iterator[Bench]:
    with psycopg.connect(server.dsn, autocommit=True) as db:
        if db.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone() is None:
            db.execute(f"create database {DATABASE}")
    dsn = server.dsn_for(DATABASE)
    install(dsn)
    with psycopg.connect(dsn, autocommit=True) as admin:
        bench = Bench(dsn, admin)
        for login, role in ((READER, "braid_reader"), (WRITER, "braid_writer")):
            admin.execute(f"do $$ begin create role {login} login; exception when duplicate_object then null; end $$")
            admin.execute(f"grant {role} to {login}")
        admin.execute(
            "select braid.create_collection(%s, text_config => 'simple', dimensions => %s,"
            ' indexed_attributes => \'{"topic_rank": "number"}\')',
            (COLLECTION, DIMENSIONS),
        )
        yield bench


def load(bench: Bench, tenant: str, corpus: Corpus, collection: str = COLLECTION, stored: int = 0) -> None:
    """Write a tenant's corpus through the API unless it is loaded; skip the first `stored` chunks."""
    admin = bench.admin
    admin.execute("select braid.create_tenant(%s)", (tenant,))
    for login in (READER, WRITER):
        admin.execute("select braid.add_tenant_member(%s, %s)", (tenant, login))
    admin.execute("select set_config('braid.tenant', %s, false)", (tenant,))
    tenant_id = bench.tenant_id(tenant)
    row = admin.execute("select count(*) from braid_store.chunks where tenant_id = %s", (tenant_id,)).fetchone()
    assert row is not None
    if row[0] == corpus.size:
        return
    say(f"loading {tenant}")
    for first in range(stored, corpus.size, 5000):
        documents = [document(number, corpus) for number in range(first, min(first + 5000, corpus.size))]
        admin.execute("select count(*) from braid.upsert_documents(%s, %s)", (Jsonb(documents), collection))
    ids = chunk_ids(bench, tenant)
    admin.execute("create temp table given (chunk_id bigint, embedding vector)")
    with admin.cursor().copy("copy given from stdin (format binary)") as copy:
        for block in copy_rows([ids[number] for number in range(stored, corpus.size)], corpus.vectors[stored:]):
            copy.write(block)
    admin.execute(
        "select braid.store_embeddings(g.ids, g.embeddings, %s) from (select array_agg(chunk_id order by chunk_id),"
        " array_agg(embedding order by chunk_id) from given group by chunk_id / 5000) g (ids, embeddings)",
        (collection,),
    )
    admin.execute("drop table given")


def maintain(bench: Bench, memory: str = "2GB") -> None:
    bench.admin.execute(f"set maintenance_work_mem = '{memory}'")
    while True:
        # maintain() begins no index that it expects to take longer than its time.
        row = bench.admin.execute("select braid.maintain('1 hour')").fetchone()
        assert row is not None
        if row[0]["complete"]:
            return


def chunk_ids(bench: Bench, tenant: str) -> dict[int, int]:
    """Return the chunks' ids by the number of the document."""
    rows = bench.admin.execute(
        "select substr(d.external_id, 2)::int, c.id from braid_store.chunks c"
        " join braid_store.documents d on d.tenant_id = c.tenant_id and d.id = c.document_id where c.tenant_id = %s",
        (bench.tenant_id(tenant),),
    ).fetchall()
    return dict(rows)
