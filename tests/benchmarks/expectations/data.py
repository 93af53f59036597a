"""Load turns of hearings into pgbraid and into a table by hand, in one database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import psycopg

from benchmarks.full_text.corpus import Hearings
from benchmarks.full_text.database import maintain, start_server
from benchmarks.search import DATA
from pgbraid import embedded
from pgbraid.install import install
from support.calls import one, upsert

Connection = psycopg.Connection[Any]
# Users with 50 groups each, and the share of the lists that name one of their groups.
USERS = {"third": 1 / 3, "tenth": 0.1, "hundredth": 0.01}
GROUPS = {user: [f"group:{user}-{n}" for n in range(50)] for user in USERS}
TABLES = """
create schema hand;
create table hand.documents (
  id text primary key, content text, speaker text, occurred_at timestamptz, price numeric, access text[],
  embedding vector(64), fts tsvector generated always as (to_tsvector('english', content)) stored
);
alter table hand.documents enable row level security;
create policy groups on hand.documents using (access && string_to_array(current_setting('hand.groups'), ','));
create role hand_reader;
grant usage on schema hand to hand_reader;
grant select on hand.documents to hand_reader
"""
# Rows are added without indexes.
DROP = "drop index if exists hand.documents_access_idx, hand.documents_fts_idx, hand.documents_embedding_idx"
INDEXES = """
set maintenance_work_mem = '1GB';
create index on hand.documents using gin (access);
create index on hand.documents using gin (fts);
create index on hand.documents using hnsw (embedding vector_cosine_ops);
drop table if exists hand.words;
create table hand.words as
  select word, ndoc from ts_stat('select to_tsvector(''simple'', content) from hand.documents');
create index on hand.words (word text_pattern_ops);
vacuum analyze
"""


class Row(NamedTuple):
    id: str
    content: str
    speaker: str
    occurred_at: str
    price: int
    access: list[str]
    embedding: list[float]

    @property
    def document(self) -> dict[str, Any]:
        given = self._asdict()
        readable = {user: int(any(group in GROUPS[user] for group in self.access)) for user in USERS}
        return {"external_id": given.pop("id"), "metadata": {"price": given.pop("price"), **readable}, **given}


def rows(size: int) -> list[Row]:
    """Return the rows. Vectors lie around 200 centres."""
    random, numpy = Random(1), np.random.default_rng(1)
    lists = [[random.choice(GROUPS[user]) for user, share in USERS.items() if random.random() < share]
             + [f"group:{random.randrange(850)}"] for _ in range(2000)]  # fmt: skip
    vectors = numpy.standard_normal((200, 64))[numpy.integers(0, 200, size)]
    vectors = np.round(vectors + 0.6 * numpy.standard_normal((size, 64)), 4)
    turns = Hearings(DATA / "scotus", size).documents(0, size)
    return [
        Row(turn["external_id"], turn["chunks"][0]["content"], turn["speaker"], turn["occurred_at"],
            int(random.lognormvariate(4, 1)), random.choice(lists), vector.tolist())
        for turn, vector in zip(turns, vectors, strict=True)
    ]  # fmt: skip


@contextmanager
def loaded(folder: Path, version: int, size: int) -> Iterator[tuple[Connection, str, list[Row]]]:
    """Yield a superuser's connection to the database, once it has this number of rows."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        dsn = start_server(folder, version, "2GB").dsn
        install(dsn, with_parts=["permissions", "completion"])
        with psycopg.connect(dsn, autocommit=True) as db:
            found = rows(size)
            if not one(db, "select to_regclass('hand.documents') is not null"):
                db.execute(TABLES)
                db.execute("select braid.create_collection('hearings', dimensions => 64)")
                declared = json.dumps(dict.fromkeys(["price", *USERS], "number"))
                db.execute("select braid.set_indexed_attributes(%s, 'hearings')", (declared,))
                db.execute("select braid.set_permissions('hearings', true)")
                for user in USERS:
                    members = "select braid.add_principal_member('default', unnest(%s::text[]), %s)"
                    db.execute(members, (GROUPS[user], f"user:{user}"))
            known = one(db, "select count(*) from hand.documents")
            if known < size:
                db.execute(DROP)
                for first in range(known, size, 2500):
                    write(db, found[first : first + 2500])
                maintain(db)
                for statement in INDEXES.split(";"):
                    db.execute(statement.encode())
            yield db, dsn, found
    finally:
        embedded.stop(folder)


def write(db: Connection, batch: list[Row]) -> None:
    with db.transaction():
        upsert(db, [row.document for row in batch], "hearings")
        columns = ", ".join(Row._fields)
        with db.cursor().copy(f"copy hand.documents ({columns}) from stdin") as copy:
            for row in batch:
                copy.write_row([*row[:-1], json.dumps(row.embedding)])
