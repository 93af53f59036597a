"""Test data that moves between databases with different parts: exports and dumps."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.errors import InvalidArgumentError
from pgbraid.install import install
from support import clone, snapshot
from support.calls import full_text, one, upsert

Connection = psycopg.Connection[Any]
# Statements that store a part's data, by the kind of the exported record.
STORED = {
    "query_set": ("evaluation", "select braid.create_query_set('asked')"),
    "profile": ("reranking", "select braid.set_profile('ana', '[1,0]', '{}', 'notes')"),
    "token_vectors": (
        "reranking",
        "select braid.set_token_vectors('notes', 'tokens', 2, 2);"
        "select braid.store_token_vectors(array_agg(id), array_agg('[1,0]'::halfvec), array_agg(1), 'notes')"
        " from braid_store.chunks",
    ),
    "token_vector_count": ("reranking", "select braid.set_token_vectors('notes', 'tokens', 2, 2)"),
    "sparse_encoder": (
        "sparse_encoders",
        "select braid.set_sparse_encoder('tiny', '{\"fox\": 1.5}');"
        "select braid.set_ranking('notes', '{\"sparse_encoder\": \"tiny\"}')",
    ),
    "static_embedder": (
        "static_embeddings",
        "select braid.set_static_embedder('tiny', '{fox}', array['[1,0]']::halfvec[], 'all-MiniLM-L6-v2');"
        "select braid.set_ranking('notes', '{\"static_embedder\": \"tiny\"}')",
    ),
}


@pytest.fixture
def moved(server: embedded.Server) -> Iterator[str]:
    """Yield a database with the core and the part that imports."""
    with clone(server, "template1") as name:
        dsn = server.dsn_for(name)
        install(dsn, only=["transfer"])
        yield dsn


def connect(dsn: str) -> Connection:
    return psycopg.connect(dsn, autocommit=True)


def exported(db: Connection) -> list[Any]:
    return [record for (record,) in db.execute("select braid.export_tenant()")]


def plain(collection: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in collection.items() if not key.startswith("token_vector")}


def set_values(records: list[Any]) -> list[Any]:
    """Return the records without collections' settings that are null: a part without data exports null."""
    return [
        {kind: {key: value for key, value in stored.items() if kind != "collection" or value is not None}}
        for record in records
        for kind, stored in record.items()
    ]


def load(db: Connection, records: list[Any]) -> int:
    return int(one(db, "select braid.import_tenant(%s::jsonb)", json.dumps(records)))


@pytest.mark.parametrize("kind", STORED)
def test_what_an_absent_part_has_stored_is_refused_by_name(dsn: str, db: Connection, moved: str, kind: str) -> None:
    part, statements = STORED[kind]
    db.execute("select braid.create_collection('notes', dimensions => 2)")
    upsert(db, [{"external_id": "a", "content": "a quick fox"}], "notes")
    for statement in statements.split(";"):
        db.execute(statement.encode())
    records = exported(db)
    with connect(moved) as target:
        target.execute("select braid.create_tenant('new'), set_config('braid.tenant', 'new', false)")
        if kind == "token_vectors":
            # Import the collection without its settings of token vectors, which would be refused before the vectors.
            assert load(target, [{"collection": plain(records[0]["collection"])}]) == 0
            records = records[1:]
        before = snapshot.rows(moved)
        with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
            load(target, records)
        assert f"pgbraid init --with {part}" in (raised.value.diag.message_hint or "")
        assert snapshot.rows(moved) == before
        # The client names the part, too.
        with pytest.raises(InvalidArgumentError, match=part):
            pgbraid.Client(target).import_tenant(map(json.dumps, records))
    install(moved, with_parts=[part])
    with connect(moved) as target:
        target.execute("select set_config('braid.tenant', 'new', false)")
        if kind == "token_vectors":
            target.execute("select braid.set_token_vectors('notes', 'tokens', 2, 2)")
        if kind == "sparse_encoder":
            target.execute("select braid.set_sparse_encoder('tiny', '{\"fox\": 1.5}')")
        if kind == "static_embedder":
            target.execute(
                "select braid.set_static_embedder('tiny', '{fox}', array['[1,0]']::halfvec[], 'all-MiniLM-L6-v2')"
            )
        assert load(target, records) == 1
        assert set_values(exported(target))[-len(records) :] == set_values(records)
        assert full_text(target, "fox", collection="notes") == full_text(db, "fox", collection="notes")


def test_what_a_part_could_store_is_no_obstacle_where_it_has_not(dsn: str, db: Connection, moved: str) -> None:
    """A part that is installed but stores nothing does not prevent an import, in either direction."""
    upsert(db, [{"external_id": "a", "content": "a quick fox"}])
    with connect(moved) as target:
        target.execute("select braid.create_tenant('new'), set_config('braid.tenant', 'new', false)")
        assert load(target, exported(db)) == 1
        records = exported(target)
        assert set_values(records) == set_values(exported(db))
    db.execute("select braid.create_tenant('back'), set_config('braid.tenant', 'back', false)")
    assert load(db, records) == 1


def psql(programs: Path, file: Path, dsn: str) -> list[str | Path]:
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", f"--file={file}"]
    return [programs / "psql", *options, dsn]


@pytest.mark.parametrize("parts", [["core"], ["sync", "search_log"]], ids=" ".join)
@pytest.mark.parametrize("form", ["plain", "custom"])
def test_a_dump_has_the_parts_that_its_database_has(
    server: embedded.Server, pg_version: int, tmp_path: Path, parts: list[str], form: str
) -> None:
    programs, file = installed_programs(pg_version), tmp_path / "dump"
    with clone(server, "template1") as source, clone(server, "template1") as restored:
        dsn, other = server.dsn_for(source), server.dsn_for(restored)
        install(dsn, only=parts)
        with connect(dsn) as db:
            upsert(db, [{"external_id": "a", "content": "a quick fox"}])
            if "search_log" in parts:
                db.execute("select braid.set_search_log('default', 'all')")
                db.execute("select from braid.logged_search('fox')")
            found = full_text(db, "fox")
        subprocess.run([programs / "pg_dump", f"--format={form}", "--file", file, dsn], check=True)
        restore: list[str | Path] = (
            psql(programs, file, other)
            if form == "plain"
            else [programs / "pg_restore", "--exit-on-error", "--dbname", other, file]
        )
        subprocess.run(restore, check=True)
        # An installation only gives the database roles of its own.
        report = install(other)
        assert report.parts == install(dsn).parts and not report.added_parts and not report.migrations
        assert not install(other).changed
        assert snapshot.definitions(other) == snapshot.definitions(dsn)
        with connect(other) as db:
            assert full_text(db, "fox") == found
            if "search_log" in parts:
                assert one(db, "select count(*) from braid.search_log") == 1


def test_rows_alone_go_into_an_installation_with_the_same_parts(
    server: embedded.Server, pg_version: int, tmp_path: Path
) -> None:
    programs, file = installed_programs(pg_version), tmp_path / "dump"
    with clone(server, "template1") as source, clone(server, "template1") as restored:
        dsn, other = server.dsn_for(source), server.dsn_for(restored)
        for one_of_both in (dsn, other):
            install(one_of_both, only=["search_log"])
        with connect(dsn) as db:
            upsert(db, [{"external_id": "a", "content": "a quick fox"}])
            found = full_text(db, "fox")
        dump = ["--data-only", "--schema=braid_store", "--exclude-table=braid_store.*yoyo*", "--disable-triggers"]
        own = [f"--exclude-table=braid_store.{table}" for table in ("installation", "parts")]
        subprocess.run([programs / "pg_dump", *dump, *own, "--file", file, dsn], check=True)
        with connect(other) as db:
            tables = one(db, "select string_agg(oid::regclass::text, ', ') from pg_class where relkind in ('r', 'p')"
                " and relnamespace = 'braid_store'::regnamespace and not relispartition"
                " and relname !~ '(yoyo|^installation$|^parts$)'")  # fmt: skip
            db.execute(f"truncate {tables}".encode())
        subprocess.run(psql(programs, file, other), check=True)
        with connect(other) as db:
            assert full_text(db, "fox") == found
        assert not install(other).changed
