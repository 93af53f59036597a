"""Test pgbraid import, for tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

import pgbraid

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]
Connection = psycopg.Connection[Any]
COLUMNS = ("--id-column", "Id", "--text-column", "body")
MORE = ("--title-column", "name", "--metadata-column", "meta", "--vector-column", "vec")


@pytest.fixture
def table(db: Connection) -> str:
    """Create 1,203 rows with 384 dimensions, the first without a vector or title, and return the table's name."""
    db.execute('create schema "My App"')
    db.execute('create table "My App".items ("Id" int, body text, name text, meta jsonb, vec vector)')
    db.execute(
        """
        insert into "My App".items
        select i, 'body of item' || i, nullif('item ' || i, 'item 0'), jsonb_build_object('n', i),
               case when i > 0 then (select array_agg(case when j = i % 384 then 1 else 0.001 end order by j)
                                     from generate_series(0, 383) j)::vector end
        from generate_series(0, 1202) i
        """
    )
    return '"My App".items'


def test_rows_and_vectors_are_copied(run: Run, client: pgbraid.Client, table: str) -> None:
    done = run("import", table, *COLUMNS, *MORE, "--no-embed")
    assert done.code == 0
    assert "1203 inserted" in done.out
    assert "importing rows: 1203 of 1203" in done.err
    assert client.status("default")["collections"][0]["pending_embeddings"] == 1
    query = np.full(384, 0.001)
    query[7] = 1
    found = client.search(embedding=query, mode="semantic", match_count=4)
    assert sorted(row.external_id for row in found[:4]) == ["1159", "391", "7", "775"]
    row = client.search("item7", mode="full_text")[0]
    assert (row.external_id, row.title, row.content, row.metadata) == ("7", "item 7", "body of item7", {"n": 7})
    assert client.search("item0", mode="full_text")[0].title is None
    assert "1203 unchanged" in run("import", table, *COLUMNS, *MORE, "--no-embed").out


def test_other_forms_of_vectors(run: Run, client: pgbraid.Client, db: Connection) -> None:
    client.create_collection("small", dimensions=3, embedding_model="mine")
    db.execute(
        "create table t as select 1 as id, 'one' as body, '[1,0,0]'::halfvec(3) as half, '{0,0,1}'::real[] as arr"
    )
    for column, axis in (("half", [1, 0, 0]), ("arr", [0, 0, 1])):
        arguments = ("--id-column", "id", "--text-column", "body", "--vector-column", column)
        assert run("import", "t", *arguments, "--collection", "small").code == 0
        row = client.search(embedding=axis, mode="semantic", collection="small")[0]
        assert row.semantic_score == pytest.approx(1, abs=1e-3)


def test_rows_without_text_are_left_out(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute("create table t as select * from (values (1, 'one'), (2, null), (3, ''), (4, 'four')) t (id, body)")
    done = run("import", "t", "--id-column", "id", "--text-column", "body", "--no-embed")
    assert (done.code, "2 inserted" in done.out) == (0, True)
    assert "importing rows: 2 of 2" in done.err
    assert "2 rows without text in 'body' left out\n" in done.err
    assert [document.external_id for document in client.list_documents()] == ["1", "4"]


def test_nothing_is_written_if_the_dimensions_differ(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute("create table t (id int, body text, vec vector)")
    db.execute(
        "insert into t select i, 'word', array_fill(1, array[case i when 900 then 3 else 384 end])::vector"
        " from generate_series(1, 900) i"
    )
    refused = run("import", "t", "--id-column", "id", "--text-column", "body", "--vector-column", "vec")
    assert refused.code == 2
    assert "3 dimensions" in refused.err
    assert client.status("default")["collections"][0]["documents"] == 0


@pytest.mark.parametrize(
    ("name", "column", "part"),
    [
        ('"My App".items', "nothing", "nothing"),
        ("nowhere", "body", "nowhere"),
        ("a.b.c.d", "body", "a.b.c.d"),
        ("items; drop table x", "body", "items; drop"),
    ],
)
@pytest.mark.usefixtures("table")
def test_unknown_names(run: Run, name: str, column: str, part: str) -> None:
    refused = run("import", name, "--id-column", "Id", "--text-column", column)
    assert refused.code == 2
    assert part in refused.err
    assert "hint: " in refused.err


def test_every_key_of_a_document(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute("set timezone = 'Asia/Tokyo'")
    db.execute(
        "create table talks as select 1 as id, 'the body' as body, 'Ana' as who, timestamp '2026-03-01 12:00' as held,"
        " 'https://example.org' as url, 'note' as kind, 0.5 as weight, 'english' as lang"
    )
    arguments = ("--speaker-column", "who", "--occurred-at-column", "held", "--source-uri-column", "url",
                 "--category-column", "kind", "--importance-column", "weight", "--language-column", "lang")  # fmt: skip
    imported = (
        "import",
        "talks",
        "--id-column",
        "id",
        "--text-column",
        "body",
        "--no-embed",
        *arguments,
    )
    assert run(*imported).code == 0
    document = client.get_document("1")
    assert document is not None and document.source_uri == "https://example.org"
    (chunk,) = document.chunks
    assert (chunk.speaker, chunk.category, chunk.importance, chunk.language) == (
        "Ana",
        "note",
        0.5,
        "english",
    )
    assert chunk.occurred_at is not None and chunk.occurred_at.isoformat() == "2026-03-01T12:00:00+00:00"
    assert len(client.recall("a body", timeframe="2026-03")) == 1
    assert "1 unchanged" in run(*imported).out
    db.execute("alter table talks alter weight type text")
    db.execute("update talks set weight = 'much'")
    assert run(*imported).code == 2


def test_documents_that_are_no_rows(run: Run, client: pgbraid.Client, db: Connection) -> None:
    db.execute("create table t as select n as id, 'text ' || n as body from generate_series(1, 1500) n")
    imported = (
        "import",
        "t",
        "--id-column",
        "id",
        "--text-column",
        "body",
        "--no-embed",
    )
    assert run(*imported).code == 0
    db.execute("delete from t where id % 3 = 0")
    db.execute("update t set body = '' where id = 1")
    assert "deleted" not in run(*imported).out
    assert client.count() == 1500
    assert "501 deleted" in run(*imported, "--prune").out
    assert client.count() == 999
    assert "0 deleted" in run(*imported, "--prune").out


def test_again_and_again(run: Run, client: pgbraid.Client, db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    db.execute("create table t as select 1 as id, 'one' as body")
    rounds = []

    def sleep(seconds: float) -> None:
        rounds.append(client.count())
        db.execute("insert into t select max(id) + 1, 'more' from t")
        db.execute("delete from t where id = 1")
        if len(rounds) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    run(
        "import",
        "t",
        "--id-column",
        "id",
        "--text-column",
        "body",
        "--no-embed",
        "--prune",
        "--watch",
        "5",
    )
    assert rounds == [1, 1, 2]
    assert [document.external_id for document in client.list_documents()] == ["2", "3"]
