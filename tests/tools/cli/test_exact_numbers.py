"""Numbers of metadata arrive as they are written, however many digits they have, and are found and read so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import pgbraid
from pgbraid.long_numbers import loads
from pgbraid_tools.frames import frame_documents
from pgbraid_tools.mcp_server.answers import _value
from support.calls import one

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]
Connection = psycopg.Connection[Any]

WHOLE, FRACTION = "12345678901234567890", "0.1234567890123456789"
TINY, LONG = "1e-400", "9" * 5000
NUMBERS = f'{{"whole": {WHOLE}, "fraction": {FRACTION}, "price": 9.5}}'
SHAPE = '"id": "a", "text": "zebra"'


@pytest.fixture(autouse=True)
def _collection(client: pgbraid.Client) -> None:
    client.create_collection("docs", dimensions=3, embedding_model="mine")


def stored(db: Connection) -> tuple[str, str]:
    """Return the numbers of the only document, as PostgreSQL has them."""
    ((whole, fraction),) = db.execute(
        "select metadata ->> 'whole', metadata ->> 'fraction' from braid_store.documents"
    ).fetchall()
    return whole, fraction


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", f'{{"external_id": "a", "content": "zebra", "metadata": {NUMBERS}}}\n'),
        ("a.jsonl", f"{{{SHAPE}, {NUMBERS[1:]}\n"),
        ("a.json", f"[{{{SHAPE}, {NUMBERS[1:]}]"),
        ("a.md", f"---\nwhole: {WHOLE}\nfraction: {FRACTION}\n---\nzebra\n"),
        ("a.md", f"+++\nwhole = {WHOLE}\nfraction = {FRACTION}\n+++\nzebra\n"),
        ("a.csv", f"id,text,whole,fraction\na,zebra in the wild,{WHOLE},{FRACTION}\n"),
    ],
)
def test_files(run: Run, db: Connection, tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert run("ingest", tmp_path, "--no-embed", "--collection", "docs").code == 0
    assert stored(db) == (WHOLE, FRACTION)


def test_decimals_of_parquet(run: Run, db: Connection, tmp_path: Path) -> None:
    values = {"id": ["a"], "text": ["zebra in the wild"], "whole": [Decimal(WHOLE)], "fraction": [Decimal(FRACTION)]}
    pq.write_table(pa.table(values), tmp_path / "a.parquet")
    assert run("ingest", tmp_path, "--no-embed", "--collection", "docs").code == 0
    assert stored(db) == (WHOLE, FRACTION)


@pytest.fixture
def table(db: Connection) -> Connection:
    db.execute("create table public.old (id text, content text, embedding vector(3), meta jsonb, price numeric)")
    db.execute("insert into public.old values ('a', 'zebra', '[1,0,0]', %s, 0.5)", (NUMBERS,))
    return db


def test_imports(run: Run, table: Connection, dsn: str, tmp_path: Path) -> None:
    columns = ("--id-column", "id", "--text-column", "content", "--metadata-column", "meta")
    done = run("import", "public.old", "--collection", "docs", *columns)
    assert done.code == 0, done.err
    assert stored(table) == (WHOLE, FRACTION)
    table.execute("select braid.clear_collection('docs')")
    query = "select id, content as text, meta -> 'whole' as whole, (meta -> 'fraction')::numeric as fraction from old"
    done = run("ingest", "--from", dsn, "--sql", query, "--no-embed", "--collection", "docs")
    assert done.code == 0, done.err
    assert stored(table) == (WHOLE, FRACTION)
    table.execute("select braid.clear_collection('docs')")
    export = tmp_path / "export.jsonl"
    export.write_text(f'{{"id": "a", "vector": [1, 0, 0], "payload": {{"text": "zebra", {NUMBERS[1:]}}}\n')
    done = run("import", export, "--format", "qdrant", "--collection", "docs")
    assert done.code == 0, done.err
    assert stored(table) == (WHOLE, FRACTION)


def test_clients_write_read_and_find_them(client: pgbraid.Client, db: Connection, run: Run, tmp_path: Path) -> None:
    whole, fraction = int(WHOLE), Decimal(FRACTION)
    metadata = {"whole": whole, "fraction": fraction, "tiny": Decimal(TINY), "long": Decimal(LONG), "price": 9.5}
    given: list[dict[str, Any]] = [
        {"external_id": "a", "content": "zebra", "metadata": metadata},
        {"external_id": "b", "content": "zebra", "metadata": {"whole": whole + 1, "fraction": Decimal(FRACTION + "1")}},
    ]
    client.add_documents(given, collection="docs")
    assert one(db, "select metadata ->> 'long' from braid_store.documents where external_id = 'a'") == LONG
    # A number stays an int; it is a Decimal if the float would be another number.
    (row, _) = sorted(client.search("zebra", mode="full_text", collection="docs"), key=lambda one: one.external_id)
    document = client.get_document("a", "docs")
    assert document is not None and row.metadata == document.metadata == metadata
    assert [type(row.metadata[key]) for key in ("whole", "fraction", "price")] == [int, Decimal, float]
    # Written back, it is the same document.
    again = client.add_documents([{**given[0], "metadata": document.metadata}], collection="docs")
    assert again.unchanged == 1

    def found(filters: dict[str, Any]) -> list[str]:
        rows = client.search("zebra", mode="full_text", filters=filters, collection="docs")
        return sorted(row.external_id for row in rows)

    for _ in range(2):
        assert found({"whole": whole}) == found({"fraction": fraction}) == ["a"]
        assert found({"whole": {"$gt": whole}}) == found({"fraction": {"$gt": fraction}}) == ["b"]
        assert found({"whole": {"$in": [whole]}}) == found({"tiny": {"$gt": 0}}) == ["a"]
        assert found({"whole": {"$lt": whole + 1}}) == found({"fraction": {"$lte": fraction}}) == ["a"]
        # An index of the key keeps doubles.
        client.set_indexed_attributes({"whole": "number", "fraction": "number"}, "docs")
    facets = client.facets(["whole", "fraction"], collection="docs")
    assert {value.value for value in facets["whole"]} == {whole, whole + 1}
    assert {value.value for value in facets["fraction"]} == {fraction, Decimal(FRACTION + "1")}
    statistics, _ = client.facets(aggregations={"tiny": {"statistics": True}}, collection="docs")["tiny"]
    assert isinstance(statistics.value, dict)
    assert statistics.value["avg"] == statistics.value["sum"] == Decimal(TINY)
    assert _value(fraction) == FRACTION
    done = run("search", "zebra", "--mode", "full_text", "--collection", "docs", "--json",
               "--filters", f'{{"fraction": {FRACTION}}}')  # fmt: skip
    assert f'"fraction": {FRACTION}' in done.out and loads(done.out)["results"][0]["external_id"] == "a"
    assert FRACTION in run("show", "a", "--collection", "docs").out
    # An export and a data frame keep them.
    records = list(client.export_tenant("docs"))
    client.drop_collection("docs")
    client.import_tenant(records)
    assert one(db, "select metadata ->> 'long' from braid_store.documents where external_id = 'a'") == LONG
    assert found({"fraction": fraction}) == ["a"]


def test_numbers_longer_than_an_integer_may_be() -> None:
    """Python's limit for the digits of an int can be lowered."""
    frame = pandas.DataFrame({"id": ["a"], "text": ["zebra"], "size": [Decimal("1e5000")]})
    assert [row["metadata"] for row in frame_documents(frame, "id", "text")] == [{"size": Decimal("1e5000")}]
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert loads("9" * 3000) == Decimal("9" * 3000)
    finally:
        sys.set_int_max_str_digits(limit)
