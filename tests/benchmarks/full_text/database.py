"""Load a corpus as in real use: several merged segments, deleted documents, and recent documents."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb

from benchmarks.full_text.corpus import Corpus, Document
from benchmarks.full_text.report import say
from pgbraid import embedded
from pgbraid.install import install

Connection = psycopg.Connection[Any]
TENANT, WRITER, READER = "bench", "braid_bench_writer", "braid_bench_reader"
COLLECTION = "corpus"
DELETED = 0.05
MEMORY = {"maintenance_work_mem": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "30min"}


@dataclass
class Bench:
    """Hold a loaded database; `admin` is a superuser without a tenant, and policies bind all other logins."""

    dsn: str
    corpus: Corpus
    admin: Connection

    @contextmanager
    def connect(self, login: str, tenant: str = TENANT) -> Iterator[Connection]:
        with psycopg.connect(make_conninfo(self.dsn, user=login), autocommit=True) as connection:
            connection.execute("select set_config('braid.tenant', %s, false)", (tenant,))
            connection.prepare_threshold = 0
            yield connection

    def note(self, key: str, value: dict[str, Any]) -> None:
        self.admin.execute(
            "insert into bench.notes values (%s, %s) on conflict (key) do update set value = excluded.value",
            (key, Jsonb(value)),
        )

    def noted(self, key: str) -> dict[str, Any] | None:
        row = self.admin.execute("select value from bench.notes where key = %s", (key,)).fetchone()
        return None if row is None else row[0]

    def make_login(self, login: str, role: str, tenant: str = TENANT) -> None:
        self.admin.execute(f"do $$ begin create role {login} login; exception when duplicate_object then null; end $$")
        self.admin.execute(f"grant {role} to {login}")
        self.admin.execute("select braid.create_tenant(%s)", (tenant,))
        self.admin.execute("select braid.add_tenant_member(%s, %s)", (tenant, login))

    def create_collection(self, name: str, text_config: str = "simple") -> None:
        # The speaker is used in filters and not indexed as text.
        self.admin.execute(
            "select braid.create_collection(%s, text_config => %s,"
            ' settings => \'{"index_fields": ["title", "content"]}\')',
            (name, text_config),
        )


def start_server(data_dir: Path, version: int, shared_buffers: str) -> embedded.Server:
    server = embedded.ensure_running(data_dir, version)
    with psycopg.connect(server.dsn, autocommit=True) as db:
        for name, value in {"shared_buffers": shared_buffers, **MEMORY}.items():
            db.execute(f"alter system set {name} = '{value}'")
    embedded.stop(data_dir)
    return embedded.ensure_running(data_dir, version)


@contextmanager
def loaded(server: embedded.Server, database: str, corpus: Corpus) -> Iterator[Bench]:
    """Yield the database of a corpus, loaded if necessary."""
    with psycopg.connect(server.dsn, autocommit=True) as db:
        if db.execute("select from pg_database where datname = %s", (database,)).fetchone() is None:
            db.execute(f"create database {database}")
    dsn = server.dsn_for(database)
    install(dsn)
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute("create schema if not exists bench")
        admin.execute("create table if not exists bench.notes (key text primary key, value jsonb)")
        bench = Bench(dsn, corpus, admin)
        bench.make_login(WRITER, "braid_writer")
        bench.make_login(READER, "braid_reader")
        if bench.noted("loaded") is None:
            _Load(bench).run()
        else:
            say(f"{corpus.name}: loaded before")
        yield bench


def ingest(db: Connection, documents: list[Document], collection: str = COLLECTION) -> None:
    db.execute("select count(*) from braid.upsert_documents(%s, %s)", (Jsonb(documents), collection)).fetchone()


def segments(db: Connection) -> list[tuple[int, int]]:
    """Return (chunks, postings) of each segment of the corpus, largest first."""
    return db.execute(
        "select s.chunk_count, s.posting_count from braid_store.segments s "
        "join braid_store.collections c on c.id = s.collection_id where c.name = %s and s.chunk_count > 0 "
        "order by s.chunk_count desc, s.id",
        (COLLECTION,),
    ).fetchall()


class _Load:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._loaded = 0
        self._seconds = 0.0
        self._merge = {"seconds": 0.0, "postings": 0}
        self._sizes: dict[str, dict[str, int]] = {}

    def run(self) -> None:
        bench, size = self._bench, self._bench.corpus.size
        say(f"{bench.corpus.name}: loading")
        bench.create_collection(COLLECTION, bench.corpus.text_config)
        with bench.connect(WRITER) as writer:
            # The sizes belong to two tiers of merging, neither of which is full: 5 of 18 %, 3 of 3 %.
            delta = [1000] * 2 + [100] * 5 + [1] * 5 if size >= 100_000 else [size // 100] * 2 + [1] * 5
            small = size * 3 // 100
            large = (size - 3 * small - sum(delta)) // 5
            for part in [large] * 5 + [small] * 3:
                self._insert(writer, part, max(8, part // 1000))
                if "first" not in self._sizes:
                    self._measure("first")
                    self._maintain()
                    self._measure("first merged")
                else:
                    self._maintain()
                shape = [chunks for chunks, _ in segments(bench.admin)]
                say(f"  {self._loaded:,} chunks in segments of {', '.join(f'{chunks:,}' for chunks in shape[:12])}")
            self._delete(writer)
            self._maintain()
            # These documents stand for the last minutes of use.
            for part in delta:
                self._insert(writer, part, 1)
        say("  vacuum")
        bench.admin.execute("vacuum")
        bench.admin.execute("checkpoint")
        self._measure("all")
        bench.note("merges", self._merge)
        bench.note("load", {"chunks": self._loaded, "seconds": self._seconds})
        bench.note("loaded", {"chunks": self._loaded})

    def _insert(self, writer: Connection, count: int, batches: int) -> None:
        """Insert documents in batches of equal size, give or take one."""
        first = self._loaded
        for batch in range(1, batches + 1):
            upto = first + count * batch // batches
            documents = list(self._bench.corpus.documents(self._loaded, upto))
            started = time.perf_counter()
            ingest(writer, documents)
            self._seconds += time.perf_counter() - started
            self._loaded = upto

    def _maintain(self) -> None:
        db = self._bench.admin
        row = db.execute("select coalesce(max(id), 0) from braid_store.segments").fetchone()
        assert row is not None
        started = time.perf_counter()
        maintain(db)
        self._merge["seconds"] += time.perf_counter() - started
        written = db.execute(
            "select coalesce(sum(posting_count), 0)::bigint from braid_store.segments "
            "where id > %s and chunk_count > 0",
            row,
        ).fetchone()
        assert written is not None
        self._merge["postings"] += written[0]

    def _delete(self, writer: Connection) -> None:
        numbers = random.Random(2).sample(range(self._loaded), int(self._loaded * DELETED))
        say(f"  deleting {len(numbers):,}")
        started = time.perf_counter()
        for start in range(0, len(numbers), 100):
            ids = [self._bench.corpus.external_id(number) for number in numbers[start : start + 100]]
            writer.execute("select braid.delete_documents(%s, %s)", (ids, COLLECTION))
        self._bench.note("deletes", {"documents": len(numbers), "seconds": time.perf_counter() - started})

    def _measure(self, moment: str) -> None:
        """Record the bytes on disk after a vacuum, which frees the space of merged segments."""
        db = self._bench.admin
        db.execute("vacuum")
        self._sizes = {**self._sizes, moment: index_size(db)}
        self._bench.note("sizes", self._sizes)


def maintain(db: Connection) -> None:
    while True:
        row = db.execute("select braid.maintain('1 hour')").fetchone()
        assert row is not None
        if row[0]["complete"]:
            return


INDEX_TABLES = {"postings": "tenant_id, collection_id, lexeme, segment_id", "forward_rows": "tenant_id, chunk_id"}
# postings is a view of two tables.
PLACES = {"postings": ("postings_a", "postings_b"), "forward_rows": ("forward_rows",)}


def merged_size(bench: Bench) -> dict[str, int]:
    """Return the corpus' bytes after maintain(), in newly indexed copies like the baselines: without space that
    earlier merges have freed and later ones will fill. All changes are rolled back."""
    db = bench.admin
    size = {}
    with db.transaction(force_rollback=True):
        maintain(db)
        size["postings"] = sum(postings for _, postings in segments(db))
        for table, key in INDEX_TABLES.items():
            db.execute(f"create table bench.{table}_copy (like braid_store.{PLACES[table][0]} including storage)")
            db.execute(
                f"insert into bench.{table}_copy select * from braid_store.{table} t where exists (select from "
                "braid_store.collections c where c.id = t.collection_id and c.name = %s)",
                (COLLECTION,),
            )
            db.execute(f"alter table bench.{table}_copy add primary key ({key})")
            row = db.execute(f"select pg_total_relation_size('bench.{table}_copy')").fetchone()
            assert row is not None
            size[f"{table}_bytes"] = row[0]
    return size


def index_size(db: Connection) -> dict[str, int]:
    """Return the sizes of the whole database. `live_…` counts rows without pages' free space and indexes."""
    size = {"postings": sum(postings for _, postings in segments(db))}
    for table in INDEX_TABLES:
        columns = db.execute(
            "select string_agg(format('coalesce(pg_column_size(%%I), 0)', attname), ' + ') from pg_attribute "
            "where attrelid = %s::regclass and attnum > 0 and not attisdropped",
            (f"braid_store.{table}",),
        ).fetchone()
        assert columns is not None
        on_disk = " + ".join(f"pg_total_relation_size('braid_store.{place}')" for place in PLACES[table])
        row = db.execute(
            f"select {on_disk}, (select coalesce(sum(24 + {columns[0]}), 0)::bigint from braid_store.{table})"
        ).fetchone()
        assert row is not None
        size[f"{table}_bytes"], size[f"live_{table}_bytes"] = row
    return size
