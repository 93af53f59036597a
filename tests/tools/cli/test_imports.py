"""Test pgbraid import for the tables of frameworks and the exports of other engines."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import tracemalloc
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import psycopg
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.utils import node_to_metadata_dict
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.stored import Document
from pgbraid_tools.imports import documents as importing
from pgbraid_tools.imports.exports import read_export

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]
Connection = psycopg.Connection[Any]
EXPORTS = Path(__file__).parents[2] / "support" / "exports"
PAGE = Path(__file__).parents[3] / "docs" / "guide" / "from-vector-stores.md"
ROOT_ID = "5f0e1c1e-9f3b-4f6e-8a39-4d1f7e5c2b10"


@pytest.fixture(autouse=True)
def _collection(client: pgbraid.Client) -> None:
    client.create_collection("docs", dimensions=3, embedding_model="mine")


def stored(client: pgbraid.Client) -> dict[str, Document]:
    found = [client.get_document(document.external_id, "docs") for document in client.list_documents("docs")]
    return {document.external_id: document for document in found if document is not None}


def texts(document: Document) -> list[str]:
    return [chunk.content for chunk in document.chunks]


# Tables


def langchain_tables(db: Connection, id_column: str = "id") -> None:
    db.execute("create table langchain_pg_collection (uuid uuid primary key, name text unique, cmetadata json)")
    db.execute(
        f"create table langchain_pg_embedding ({id_column} text primary key, collection_id uuid, embedding vector,"
        " document text, cmetadata jsonb)"
    )
    db.execute("insert into langchain_pg_collection values (%s, 'mine'), (gen_random_uuid(), 'other')", (ROOT_ID,))


def langchain_row(db: Connection, row_id: str, text: str | None, vector: str, metadata: Any) -> None:
    db.execute(
        "insert into langchain_pg_embedding values (%s, %s, %s, %s, %s)",
        (row_id, ROOT_ID, vector, text, json.dumps(metadata)),
    )


@pytest.mark.parametrize("id_column", ["id", "custom_id"])
def test_langchain_pgvector(run: Run, client: pgbraid.Client, db: Connection, id_column: str) -> None:
    langchain_tables(db, id_column)
    langchain_row(db, "b", "Second.", "[0,1,0]", {"source": "x", "page": 2, "start_index": 5, "year": 1})
    langchain_row(db, "c", "Third.", "[0,0,1]", {"source": "x", "page": 10, "year": 1})
    langchain_row(db, "a", "First.", "[1,0,0]", {"source": "x", "page": 2, "start_index": 0, "year": 1})
    langchain_row(db, "d", "Alone.", "[1,1,0]", {"title": "Single"})
    db.execute(
        "insert into langchain_pg_embedding select 'e', uuid, '[1,2]', 'Other.', null from langchain_pg_collection"
        " where name = 'other'"
    )
    done = run("import", "mine", "--format", "langchain", "--collection", "docs")
    assert done.code == 0, done.err
    assert "importing documents: 2 of 2\n" in done.err
    assert 'source: 4 rows, 4 with a vector; collection "docs": 4 chunks, 4 with a vector\n' in done.out
    assert "4 searches by a row's vector find 4.0 of the 4 nearest rows (the worst finds 4)\n" in done.out
    found = stored(client)
    assert found.keys() == {"x", "d"}
    assert texts(found["x"]) == ["First.", "Second.", "Third."]
    assert [chunk.metadata["import_id"] for chunk in found["x"].chunks] == ["a", "b", "c"]
    assert (found["x"].source_uri, found["x"].metadata) == ("x", {"source": "x", "year": 1})
    assert (found["d"].title, texts(found["d"])) == ("Single", ["Alone."])
    assert client.search(embedding=[0, 1, 0], mode="semantic", collection="docs")[0].chunk_index == 1
    assert "2 unchanged" in run("import", "mine", "--format", "langchain", "--collection", "docs").out
    single = run("import", "mine", "--format", "langchain", "--collection", "docs", "--document-column", id_column)
    assert single.code == 0, single.err
    assert stored(client).keys() == {"a", "b", "c", "d", "x"}


def test_a_collection_that_langchain_does_not_have(run: Run, db: Connection) -> None:
    langchain_tables(db)
    refused = run("import", "mime", "--format", "langchain", "--collection", "docs")
    assert (refused.code, refused.err) == (
        2,
        "pgbraid: LangChain has no collection 'mime'\nhint: its collections are mine, other\n",
    )


def test_langchain_pgvectorstore_keeps_metadata_columns(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute(
        "create table store (langchain_id uuid primary key, content text not null, embedding vector(3) not null,"
        " content_tsv tsvector, year int, langchain_metadata json)"
    )
    db.execute(
        "insert into store values (%s, 'A text.', '[1,0,0]', 'text', 2026, '{\"source\": \"s\", \"n\": 1}'),"
        " (gen_random_uuid(), 'More.', '[0,1,0]', null, null, null)",
        (ROOT_ID,),
    )
    done = run("import", "store", "--format", "langchain-postgres", "--collection", "docs")
    assert done.code == 0, done.err
    found = stored(client)
    assert found["s"].metadata == {"source": "s", "n": 1, "year": 2026}
    assert found["s"].chunks[0].metadata["import_id"] == ROOT_ID
    assert len(found) == 2


def test_llamaindex_nodes_become_chunks(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute(
        "create table data_essays (id bigserial primary key, text varchar not null, metadata_ json, node_id varchar,"
        " embedding vector(3), text_search_tsv tsvector)"
    )
    for name, document, vector in (("n2", "essay", "[0,1,0]"), ("n1", "essay", "[1,0,0]"), ("n3", None, "[0,0,1]")):
        node = TextNode(id_=name, text=f"Node {name}.", metadata={"file_name": "a.md", "name": name})
        if document:
            node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
        metadata = node_to_metadata_dict(node, remove_text=True, flat_metadata=False)
        db.execute(
            "insert into data_essays (text, metadata_, node_id, embedding) values (%s, %s, %s, %s)",
            (node.text, json.dumps(metadata), name, vector),
        )
    done = run("import", "essays", "--format", "llamaindex", "--collection", "docs")
    assert done.code == 0, done.err
    found = stored(client)
    assert found.keys() == {"essay", "n3"}
    assert texts(found["essay"]) == ["Node n2.", "Node n1."]
    assert (found["essay"].title, found["essay"].metadata) == ("a.md", {"file_name": "a.md"})
    assert [chunk.metadata for chunk in found["essay"].chunks] == [
        {"file_name": "a.md", "name": "n2", "import_id": "n2"},
        {"file_name": "a.md", "name": "n1", "import_id": "n1"},
    ]
    assert "2 unchanged" in run("import", "data_essays", "--format", "llamaindex", "--collection", "docs").out


def test_supabase_vector_store(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute("create table documents (id bigserial primary key, content text, metadata jsonb, embedding vector(3))")
    for text, line in (("Later.", 9), ("Sooner.", 1)):
        metadata = {"source": "s", "loc": {"lines": {"from": line, "to": line}}}
        db.execute(
            "insert into documents (content, metadata, embedding) values (%s, %s, '[1,0,0]')",
            (text, json.dumps(metadata)),
        )
    done = run("import", "documents", "--format", "supabase", "--collection", "docs")
    assert done.code == 0, done.err
    assert texts(stored(client)["s"]) == ["Sooner.", "Later."]


def test_rows_that_are_hard_to_take(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute("create table documents (id int primary key, content text, metadata jsonb, embedding vector)")
    db.execute(
        "insert into documents values (1, null, null, '[1,0,0]'), (2, '', '{}', null),"
        " (3, 'List.', '[1, 2]', '[1,0,0]'), (4, 'Null.', 'null', '[1,0,0]'),"
        " (5, 'Text.', '\"x\"', '[0,1,0]'), (6, 'No vector.', '{\"source\": 7}', null)"
    )
    done = run("import", "documents", "--format", "supabase", "--collection", "docs", "--no-embed")
    assert done.code == 0, done.err
    assert "2 rows without text in 'content' left out\n" in done.err
    assert 'source: 4 rows, 3 with a vector; collection "docs": 4 chunks, 3 with a vector\n' in done.out
    found = stored(client)
    metadata = {name: document.metadata or document.chunks[0].metadata for name, document in found.items()}
    assert metadata == {"3": {"metadata": [1, 2]}, "4": {}, "5": {"metadata": "x"}, "7": {"source": 7}}


def test_numbers_that_are_no_vector(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute(
        "create table t as select n as id, 'word' as body, array[n, 1, 0]::real[] as vec from generate_series(1, 9) n"
    )
    columns = ("--id-column", "id", "--text-column", "body", "--vector-column", "vec", "--collection", "docs")
    for vector, problem in (("{NaN,0,0}", "has NaN, infinity or null"), ("{0,-0,0}", "is zero, which has no cosine")):
        db.execute("update t set vec = %s where id = 7", (vector,))
        refused = run("import", "t", *columns)
        assert refused.code == 2
        assert f"the vector of row '7' {problem}" in refused.err
        assert client.count("docs") == 0


def test_long_documents_become_parts(
    run: Run, client: pgbraid.Client, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "MOST_CHUNKS", 3)
    db.execute("create table t as select n as id, 'Row ' || n as body, 'book' as doc from generate_series(1, 7) n")
    columns = ("--id-column", "id", "--text-column", "body", "--document-column", "doc", "--order-column", "id")
    assert run("import", "t", *columns, "--collection", "docs", "--no-embed").code == 0
    assert {name: texts(document) for name, document in stored(client).items()} == {
        "book": ["Row 1", "Row 2", "Row 3"],
        "book#part-2": ["Row 4", "Row 5", "Row 6"],
        "book#part-3": ["Row 7"],
    }


def test_the_comparison_of_searches(run: Run, client: pgbraid.Client, db: Connection) -> None:
    """Documents that are in the collection already take places of the rows: as many as an exact search says."""
    rng = np.random.default_rng(3)
    there, rows = rng.normal(size=(40, 3)), rng.normal(size=(60, 3))
    client.add_documents(
        [{"external_id": f"there-{n}", "content": "There.", "embedding": vector} for n, vector in enumerate(there)],
        collection="docs",
    )
    db.execute("create table t (id int, body text, vec vector)")
    for number, vector in enumerate(rows):
        db.execute("insert into t values (%s, 'word', %s)", (number, str(vector.tolist())))
    columns = ("--id-column", "id", "--text-column", "body", "--vector-column", "vec", "--collection", "docs")
    done = run("import", "t", *columns, "--sample", 60)
    assert done.code == 0, done.err
    everything = np.vstack([there, rows])
    everything /= np.linalg.norm(everything, axis=1, keepdims=True)
    found = [int((np.argsort(-(everything @ query))[:10] >= 40).sum()) for query in everything[40:]]
    assert (
        f"60 searches by a row's vector find {sum(found) / 60:.1f} of the 10 nearest rows"
        f" (the worst finds {min(found)})\n" in done.out
    )
    assert "100 chunks, 100 with a vector, 40 chunks were there before" in done.out
    assert "searches" not in run("import", "t", *columns, "--sample", 0).out


def test_a_view_of_a_database_without_pgvector(run: Run, client: pgbraid.Client, db: Connection, dsn: str) -> None:
    name = f"plain_{uuid.uuid4().hex[:8]}"
    db.execute(f"create database {name}")
    try:
        source = make_conninfo(dsn, dbname=name)
        with psycopg.connect(source, autocommit=True) as plain:
            plain.execute(
                "create view v as select 'r' || n as id, 'Text ' || n as body, array[1, n, 0]::float8[] as vec,"
                " jsonb_build_object('doc', jsonb_build_object('name', 'd' || n / 3), 'place', -n,"
                " 'when', '2026-03-01') as meta from generate_series(0, 5) n"
            )
        columns = ("--id-column", "id", "--text-column", "body", "--vector-column", "vec", "--metadata-column", "meta",
                   "--document-column", "doc.name", "--order-column", "place",
                   "--occurred-at-column", "when")  # fmt: skip
        done = run("import", "v", *columns, "--source-dsn", source, "--collection", "docs")
        assert done.code == 0, done.err
        assert done.out.endswith("\nsearches are not compared: the table's database has no pgvector\n")
        found = stored(client)
        assert {key: texts(document) for key, document in found.items()} == {
            "d0": ["Text 2", "Text 1", "Text 0"],
            "d1": ["Text 5", "Text 4", "Text 3"],
        }
        assert str(found["d1"].chunks[0].occurred_at) == "2026-03-01 00:00:00+00:00"
        refused = run("import", "v", *columns[:8], "--document-column", "doc.title", "--source-dsn", source)
        assert (refused.code, "has no column 'doc.title'" in refused.err) == (2, True)
    finally:
        db.execute(f"drop database {name} with (force)")


def test_interrupted_and_run_again(
    run: Run, client: pgbraid.Client, db: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pgbraid.document_batches.BATCH_DOCUMENTS", 10)
    db.execute(
        "create table t as select n as id, 'Row ' || n as body,"
        " jsonb_build_object('n', case n when 35 then (repeat('[', 3000) || repeat(']', 3000))::jsonb end) as meta"
        " from generate_series(1, 50) n"
    )
    columns = ("--id-column", "id", "--text-column", "body", "--metadata-column", "meta", "--collection", "docs")
    stopped = run("import", "t", *columns, "--no-embed")
    assert stopped.code == 2
    assert "30 documents are written; run it again to go on\n" in stopped.err
    assert client.count("docs") == 30
    db.execute("update t set meta = meta || '{\"n\": null}' where id = 35")
    assert (
        "50 documents: 20 inserted, 0 replaced, 0 updated, 30 unchanged"
        in run("import", "t", *columns, "--no-embed").out
    )


# Exports


def imported(run: Run, path: Path, format_name: str, *options: str) -> str:
    done = run("import", path, "--format", format_name, "--collection", "docs", *options)
    assert done.code == 0, done.err
    return str(done.out)


def write(path: Path, records: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def scripts() -> dict[str, str]:
    """Return the page's scripts by the module that each imports."""
    found = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return {name: code for code in found for name in ("chromadb", "qdrant_client", "lancedb") if name in code}


def test_the_script_for_chroma(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in answers as chromadb 1.5.9 does; `chroma.jsonl` is what the script wrote with it."""
    (recorded,) = [json.loads(line) for line in (EXPORTS / "chroma.jsonl").read_text().splitlines()]

    class Collection:
        def count(self) -> int:
            return len(recorded["ids"])

        def get(self, limit: int, offset: int, include: list[str]) -> dict[str, Any]:
            page: dict[str, Any] = {key: value[offset : offset + limit] for key, value in recorded.items()}
            return {**page, "embeddings": np.array(page["embeddings"]), "uris": None, "data": None, "included": include}

    module = ModuleType("chromadb")
    client_of_folder = SimpleNamespace(get_collection=lambda _: Collection())
    module.PersistentClient = lambda _: client_of_folder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "chromadb", module)
    monkeypatch.chdir(tmp_path)
    exec(scripts()["chromadb"], {})
    assert (tmp_path / "chroma.jsonl").read_text() == (EXPORTS / "chroma.jsonl").read_text()
    imported(run, tmp_path / "chroma.jsonl", "chroma")
    found = stored(client)
    assert {name: (*texts(document), document.metadata) for name, document in found.items()} == {
        "a": ("The price per seat.", {"source": "prices.md", "year": 2025}),
        "b": ("We bill in May.", {"source": "terms.md", "year": 2026}),
        "c": ("The export fails.", {"source": "faq.md", "open": True}),
    }


def test_the_script_for_qdrant(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in answers as qdrant-client 1.20 does; `qdrant.jsonl` is what the script wrote with it."""
    lines = (EXPORTS / "qdrant.jsonl").read_text().splitlines()
    points = [SimpleNamespace(model_dump_json=lambda line=line: line) for line in lines]

    class Qdrant:
        def __init__(self, url: str) -> None:
            self.url = url

        def scroll(self, _name: str, limit: int, offset: int | None, **_with: bool) -> tuple[list[Any], int | None]:
            return (points[:2], 2) if offset is None else (points[2:], None)

    module = ModuleType("qdrant_client")
    module.QdrantClient = Qdrant  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "qdrant_client", module)
    monkeypatch.chdir(tmp_path)
    exec(scripts()["qdrant_client"], {})
    assert (tmp_path / "qdrant.jsonl").read_text().splitlines() == lines
    path = tmp_path / "qdrant.jsonl"
    imported(run, path, "qdrant", "--text-key", "body", "--vector-key", "dense", "--speaker-key", "author.name")
    found = stored(client)
    assert found.keys() == {"1", "3", ROOT_ID}
    assert found["1"].metadata == {"year": 2025, "tags": ["prices"]}
    assert found[ROOT_ID].chunks[0].speaker == "Ana"
    unclear = run("import", path, "--format", "qdrant", "--collection", "docs", "--text-key", "body")
    assert unclear.code == 2
    assert f"{path}:1: the record has the vectors 'dense', 'small'\nhint: choose one with --vector-key\n" in unclear.err


def test_the_script_for_lancedb(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in gives the table that LanceDB 0.40 gave; `lancedb.parquet` is what the script wrote with it."""
    recorded = pyarrow.parquet.read_table(EXPORTS / "lancedb.parquet")
    module = ModuleType("lancedb")
    table = SimpleNamespace(to_arrow=lambda: recorded)
    module.connect = lambda _: SimpleNamespace(open_table=lambda _: table)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lancedb", module)
    monkeypatch.chdir(tmp_path)
    exec(scripts()["lancedb"], {})
    imported(run, tmp_path / "lancedb.parquet", "lancedb")
    assert {name: document.metadata for name, document in stored(client).items()} == {
        "a": {"year": 2025},
        "b": {"year": 2026},
        "c": {"year": 2026},
    }
    path = write(tmp_path / "lancedb.jsonl", recorded.to_pylist())
    assert "3 unchanged" in imported(run, path, "lancedb")


@pytest.mark.parametrize("form", ["hits", "answer", "gz", "stdin"])
def test_elasticsearch(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = EXPORTS / "articles.jsonl"
    hits = [json.loads(line) for line in path.read_text().splitlines()]
    if form == "answer":
        path = write(tmp_path / "a.jsonl", [{"took": 1, "hits": {"hits": hits[:2]}}, {"hits": {"hits": hits[2:]}}])
    elif form == "gz":
        (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
        path = tmp_path / "a.jsonl.gz"
    elif form == "stdin":
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        path = Path("-")
    options = ("--text-key", "body", "--vector-key", "body_vector", "--occurred-at-key", "published_at")
    assert "3 searches by a row's vector find 3.0 of the 3" in imported(run, path, "elasticsearch", *options)
    found = stored(client)["a1"]
    assert (found.title, str(found.occurred_at), texts(found)) == (
        "Batteries",
        "2026-03-01 10:00:00+00:00",
        ["A new battery lasts a week."],
    )
    assert found.metadata == {
        "title": "Batteries",
        "section": "science",
        "published_at": "2026-03-01T10:00:00Z",
        "author": {"name": "Ana"},
    }


def test_other_forms(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    chroma = [{"id": "c1", "document": "One.", "metadata": None, "embedding": [1, 0, 0]}]
    imported(run, write(tmp_path / "chroma.jsonl", chroma), "chroma")
    langchain = [
        {
            "id": n,
            "vector": [n, 1, 0],
            "payload": {"page_content": f"Page {n}.", "metadata": {"source": "s", "page": n}},
        }
        for n in (3, 1, 2)
    ]
    answer = {"result": {"points": langchain, "next_page_offset": None}, "status": "ok"}
    imported(run, write(tmp_path / "langchain.jsonl", [answer]), "qdrant", "--document-key", "source")
    node = TextNode(id_="n1", text="A node.", metadata={"name": "x"})
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="essay")
    payload = node_to_metadata_dict(node, remove_text=False, flat_metadata=False)
    imported(run, write(tmp_path / "llama.jsonl", [{"id": "p", "vector": [1, 1, 1], "payload": payload}]), "qdrant")
    found = stored(client)
    assert {name: texts(document) for name, document in found.items()} == {
        "c1": ["One."],
        "s": ["Page 1.", "Page 2.", "Page 3."],
        "essay": ["A node."],
    }
    assert found["s"].metadata == {"source": "s"}
    assert found["essay"].metadata == {"name": "x"}


GOOD = {"id": "good", "vector": [1, 0, 0], "payload": {"text": "Good."}}
BAD: list[tuple[Any, str]] = [
    ({**GOOD, "vector": [1, 0]}, "the vector has 2 dimensions, the collection has 3"),
    ('{"id": 1, "vector": [NaN, 0, 0], "payload": {"text": "x"}}', "contains NaN or infinite numbers"),
    ('{"id": 1, "vector": [1e999, 0, 0], "payload": {"text": "x"}}', "contains NaN or infinite numbers"),
    ({**GOOD, "vector": [[1, 0, 0], [0, 1, 0]]}, "is not a vector"),
    ({**GOOD, "vector": "abc"}, "is not a vector"),
    ({**GOOD, "vector": [0, 0, 0]}, "the vector is zero, which has no cosine"),
    ({**GOOD, "payload": {"text": "x", "m": {"a": ["\0"]}}}, "the metadata has the character NUL"),
    ({**GOOD, "id": None}, "the record has no id"),
    ({**GOOD, "payload": {"titel": "x"}}, "nothing says which field is the text"),
    ({**GOOD, "payload": {"text": ["x"]}}, "the text is of type list"),
    ({**GOOD, "payload": [1]}, "payload is of type list, not an object"),
    ([[1, 2]], "it is of type list, not an object"),
    ('{"id": 1, "vector":', "not JSON"),
    ("[" * 100_000, "not JSON"),
    ('{"id": 1, "payload": {"text": "a\\u0000b"}}', "a text has the character NUL"),
    ('{"id": 1, "payload": {"text": "a\\ud800b"}}', "a text is not valid Unicode"),
    ('{"id": 1, "payload": {"text": "a", "n": 1e99999999999999999999}}', "not JSON"),
    ({**GOOD, "vector": None, "payload": {"text": "x", "vec": [1, 2, 3]}}, "'vec' holds 3 numbers"),
]


def test_nothing_is_written_of_a_bad_export(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    for record, message in BAD:
        bad = record if isinstance(record, str) else json.dumps(record)
        path.write_text(json.dumps(GOOD) + "\n\n" + bad + "\n")
        refused = run("import", path, "--format", "qdrant", "--collection", "docs")
        assert (refused.code, message in refused.err) == (2, True), refused.err
        assert re.match(rf"pgbraid: {re.escape(str(path))}(:3)?: .*\nhint: .*\n$", refused.err)
        assert client.count("docs") == 0


def test_nothing_is_written_of_a_doubtful_export(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    hit = {"_id": "1", "_source": {"body": "Text.", "when": "2026-03-01"}}
    failed = {"_shards": {"total": 2, "failed": 1}, "hits": {"hits": [hit]}}
    sparse = {**GOOD, "vector": {"words": {"indices": [1], "values": [1.0]}}}
    for records, format_name, options, message in (
        ([], "chroma", (), "it has no record"),
        ([{"_id": "1", "fields": {"body": ["Text."]}}], "elasticsearch", (), "it has no _source"),
        ([failed], "elasticsearch", (), "some of its shards failed"),
        (
            [GOOD],
            "qdrant",
            ("--vector-key", "dens"),
            "no record has 'dens'\nhint: correct --vector-key; there are 'text'",
        ),
        ([GOOD], "qdrant", ("--title-key", "titel"), "no record has 'titel'"),
        ([sparse], "qdrant", ("--vector-key", "words"), "the vector 'words' is sparse"),
        ([hit], "elasticsearch", ("--occurred-at-key", "body"), "occurred_at of row '1' is 'Text.'"),
        ([hit], "elasticsearch", ("--importance-key", "body"), "importance of row '1' is 'Text.'"),
        ([{"ids": ["a"], "documents": ["x"], "metadatas": ["y"]}], "chroma", (), "a metadata is of type str"),
    ):
        path = write(tmp_path / "records.jsonl", records)
        refused = run("import", path, "--format", format_name, "--collection", "docs", *options)
        assert (refused.code, message in refused.err) == (2, True), refused.err
        assert refused.err.count("\n") == 2
        assert client.count("docs") == 0
    for encoding, hint in (("utf-16", "hint: write it again as UTF-8, for it is UTF-16\n"), ("utf-8-sig", "")):
        path = tmp_path / "windows.jsonl"
        path.write_bytes((json.dumps(GOOD) + "\r\n").encode(encoding))
        done = run("import", path, "--format", "qdrant", "--collection", "docs")
        assert (done.code, hint in done.err) == (2 if hint else 0, True)


def test_a_field_has_no_place_of_another(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    """Metadata keeps names that a format or a framework uses, and no field takes the place of the text."""
    metadata = {"text": "x", "document": "y", "vector": "v", "document_id": "d", "id": 7}
    chroma = [{"ids": ["ü"], "documents": ["A text."], "metadatas": [metadata], "embeddings": [[1, 0, 0]]}]
    for options in ((), ("--text-key", "document", "--vector-key", "embedding", "--id-key", "id", "--order-key", "id")):
        imported(run, write(tmp_path / "chroma.jsonl", chroma), "chroma", *options)
    inner = {"text": "x", "title": "Inner", "n": 1}
    hits = [
        {"_id": "a", "_source": {"body": "B text.", "title": "Outer", "metadata": inner}},
        {"_id": "b", "_source": {}},
    ]
    answer = {"hits": {"total": {"value": 7, "relation": "eq"}, "hits": hits}}
    path = write(tmp_path / "hits.jsonl", [answer])
    done = run("import", path, "--format", "elasticsearch", "--collection", "docs", "--no-embed", "--text-key", "body",
               "--category-key", "metadata.n")  # fmt: skip
    assert done.code == 0, done.err
    assert "the engine says that 7 records match, and the export has 2: write all pages\n" in done.err
    assert "1 row without text in 'body' left out\n" in done.err
    found = stored(client)
    assert {name: texts(document) for name, document in found.items()} == {
        "7": ["A text."],
        "ü": ["A text."],
        "a": ["B text."],
    }
    assert found["ü"].metadata == metadata
    assert found["a"].metadata == {"text": "x", "n": 1, "title": "Outer", "metadata": {"title": "Inner"}}
    assert found["a"].chunks[0].category == "1"
    page = {"result": {"points": [GOOD], "next_page_offset": 2}}
    done = run("import", write(tmp_path / "page.jsonl", [page]), "--format", "qdrant", "--collection", "docs")
    assert "the last answer of the export has a next_page_offset: write all pages\n" in done.err


def test_nothing_is_written_of_a_table_with_a_wrong_last_row(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute(
        "create table \"Last\" as select n as id, 'Text.' as content, null as more from generate_series(1, 20) n"
    )
    for more, option, message in (
        ("c" * 1025, "--category-column", "row '21' has a category of more than 1024 bytes"),
        ("high", "--importance-column", 'a row cannot be read: invalid input syntax for type double precision: "high"'),
        ("noon", "--occurred-at-column", "a row cannot be read: invalid input syntax for type timestamp"),
        ("{1:1}/3", "--vector-column", "the vector of row '21' is no list of numbers"),
        ("[1,2]", "--vector-column", "1 vector has 2 dimensions, as of row '21'"),
        ("d" * 1001, "--document-column", "row '21' has a document's name of more than 1000 bytes"),
    ):
        db.execute('delete from "Last" where id = 21')
        db.execute("insert into \"Last\" values (21, 'Text.', %s)", (more,))
        refused = run("import", "Last", "--format", "supabase", "--collection", "docs", option, "more")
        assert (refused.code, message in refused.err) == (2, True), refused.err
        assert client.count("docs") == 0
    for row, message in ((None, "a row has no id"), (20, "the id '20' is there 2 times")):
        db.execute('update "Last" set id = %s, more = null where more is not null or id is null', (row,))
        refused = run("import", "Last", "--format", "supabase", "--collection", "docs")
        assert (refused.code, message in refused.err) == (2, True), refused.err
    db.execute("""update "Last" set id = 21, more = '[1, 2, 3]' where ctid = (select max(ctid) from "Last")""")
    db.execute('alter table "Last" alter more type jsonb using more::jsonb')
    done = run(
        "import", "Last", "--format", "supabase", "--collection", "docs", "--vector-column", "more", "--no-embed"
    )
    assert 'source: 21 rows, 1 with a vector; collection "docs": 21 chunks, 1 with a vector\n' in done.out, done.err


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (GOOD, "the id 'good' is there 2 times"),
        ({**GOOD, "id": "x" * 1025}, "has an id of more than 1024 bytes"),
        ({**GOOD, "id": "long", "payload": {"text": "word " * 200_001}}, "row 'long' has more than 1000000 bytes"),
    ],
)
def test_nothing_is_written_of_rows_that_would_be_refused(
    run: Run, client: pgbraid.Client, db: Connection, tmp_path: Path, record: dict[str, Any], message: str
) -> None:
    path = write(tmp_path / "points.jsonl", [GOOD, record])
    refused = run("import", path, "--format", "qdrant", "--collection", "docs")
    assert (refused.code, message in refused.err, "hint: " in refused.err) == (2, True, True)
    db.execute("create table t (id text, content text, embedding vector(3))")
    rows: list[dict[str, Any]] = [GOOD, record]
    for one in rows:
        db.execute("insert into t values (%s, %s, %s)", (one["id"], one["payload"]["text"], str(one["vector"])))
    refused = run("import", "t", "--format", "supabase", "--collection", "docs")
    assert (refused.code, message in refused.err, "hint: " in refused.err) == (2, True, True)
    assert client.count("docs") == 0


def test_titles_that_are_no_title(run: Run, client: pgbraid.Client, db: Connection, tmp_path: Path) -> None:
    metadata = {"title": "t" * 4097, "source": "s" * 8193, "path": "C:\\u0000"}
    path = write(tmp_path / "points.jsonl", [{**GOOD, "payload": {"text": "Good.", **metadata}}])
    imported(run, path, "qdrant")
    db.execute("create table t (id text, content text, metadata jsonb, embedding vector(3))")
    for name, title in (("a", "t" * 4097), ("b", "")):
        db.execute("insert into t values (%s, 'Text.', %s, '[1,0,0]')", (name, json.dumps({"title": title})))
    assert run("import", "t", "--format", "supabase", "--collection", "docs").code == 0
    found = stored(client)
    assert {(document.title, document.source_uri) for document in found.values()} == {(None, None)}
    assert found["good"].metadata == metadata


def test_files_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1}\n' * 1000)[:40])
    (tmp_path / "no.parquet").write_bytes(b"PAR1")
    for name, format_name, part in (
        ("nowhere.jsonl", "chroma", "there is no file"),
        ("cut.jsonl.gz", "qdrant", ""),
        ("no.parquet", "lancedb", "damaged, or no Parquet"),
    ):
        refused = run("import", tmp_path / name, "--format", format_name, "--collection", "docs")
        assert refused.code == 2
        assert name in refused.err and part in refused.err and "hint: " in refused.err
        assert "Traceback" not in refused.err
    refused = run("import", tmp_path / "nowhere", "--format", "qdrant", "--watch", "5")
    assert "--watch is for tables, and --format qdrant reads a file" in refused.err


def test_records_without_text_and_vectors(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    records = [
        {"id": 1, "vector": [1, 0, 0], "payload": {"text": None, "n": 1}},
        {"id": 2, "vector": {}, "payload": {"text": "No vector.", "n": 2}},
        {"id": 3, "vector": {"words": {"indices": [1], "values": [1.0]}}, "payload": {"text": "Sparse."}},
    ]
    path = write(tmp_path / "points.jsonl", records)
    done = run("import", path, "--format", "qdrant", "--collection", "docs", "--no-embed")
    assert done.code == 0, done.err
    assert "1 row without text in 'text' left out" in done.err
    assert 'source: 2 rows, 0 with a vector; collection "docs": 2 chunks, 0 with a vector\n' in done.out
    assert "searches" not in done.out


def test_memory_does_not_grow_with_the_file(db: Connection, dsn: str, tmp_path: Path) -> None:
    peaks = []
    for count in (2_000, 20_000):
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            for n in range(count):
                file.write(f'{{"id": {n}, "vector": [{n}, 1, 0], "payload": {{"text": "Text {n} {"x" * 200}"}}}}\n')
        with psycopg.connect(dsn) as connection:
            tracemalloc.start()
            relation = read_export(connection, str(path), "qdrant", {}, 3, "cosine")
            number = sum(1 for _ in importing.documents(relation, None))
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        assert number == count
    assert peaks[1] < 2 * peaks[0]
