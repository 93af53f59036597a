"""Test data frames as input and output."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import pgbraid
from pgbraid.errors import InvalidArgumentError
from pgbraid.results import SearchResult, SearchResults

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]

ROWS: dict[str, list[Any]] = {
    "key": ["a", "b", "c"],
    "body": ["The price of a seat.", "An export that fails.", "A seat on the roof."],
    "title": ["Prices", None, "Roof"],
    "occurred_at": [datetime(2026, 3, 1, tzinfo=timezone.utc), None, None],
    "importance": [3.0, float("nan"), 1.0],
    "stars": [5, 4, 3],
}
FRAMES: dict[str, Any] = {
    "pandas": pandas.DataFrame(ROWS),
    "polars": polars.DataFrame(ROWS),
    "arrow": pyarrow.table(ROWS),
    "a batch": pyarrow.table(ROWS).to_batches()[0],
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_rows_become_documents(client: pgbraid.Client, frame: Any) -> None:
    assert client.add_documents(frame, id="key", text="body").inserted == 3
    first, second = client.get_document("a"), client.get_document("b")
    assert first is not None and second is not None
    assert (first.title, first.occurred_at) == ("Prices", ROWS["occurred_at"][0])
    assert first.metadata == {"stars": 5} and second.metadata == {"stars": 4}
    (chunk,) = second.chunks
    assert (second.title, chunk.occurred_at, chunk.importance) == (None, None, None)
    assert chunk.content == "An export that fails."
    # Writing the same rows again changes nothing.
    assert client.add_documents(frame, id="key", text="body").unchanged == 3


def test_columns_with_the_names_of_documents(client: pgbraid.Client) -> None:
    vectors = np.eye(3, 384, dtype=np.float32)
    columns = {"external_id": [1, 2, 3], "content": ROWS["body"], "embedding": list(vectors)}
    client.add_documents(pandas.DataFrame({**columns, "metadata": [{"n": 1}, {}, None]}))
    (best,) = client.search(mode="semantic", embedding=vectors[1], match_count=1)
    assert best.external_id == "2"
    document = client.get_document("1")
    assert document is not None and document.metadata == {"n": 1}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"content": ["x"]}, 'id: the frame has no column "external_id"'),
        ({"external_id": ["a"]}, 'text: the frame has no column "content"'),
        ({"external_id": ["a", None], "content": ["x", "y"]}, 'row 1 has no "external_id"'),
        ({"external_id": ["a"], "content": ["x"], "importance": ["much"]}, "importance"),
        ({"external_id": ["a"], "content": ["x"], "metadata": ["y"]}, "metadata"),
        ({}, "its columns are: none"),
        ({"external_id": ["a"], "content": ["x"], "slug": ["b"], "body": ["y"]}, 'one "external_id" as well'),
        ({"content": ["x"], "slug": ["b"], "body": ["y"]}, 'one "content" as well'),
    ],
)
def test_frames_that_do_not_do(client: pgbraid.Client, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        if "slug" in columns:
            client.add_documents(pandas.DataFrame(columns), id="slug", text="body")
        client.add_documents(pandas.DataFrame(columns))
    assert message in str(caught.value) and caught.value.hint
    assert client.count() == 0


def test_one_column_for_both_is_refused(client: pgbraid.Client) -> None:
    with pytest.raises(InvalidArgumentError, match="both the column"):
        client.add_documents(pandas.DataFrame({"body": ["x"]}), id="body", text="body")


def test_decimals(client: pgbraid.Client) -> None:
    prices = [Decimal("9.50"), Decimal("12"), Decimal("nan")]
    client.add_documents(polars.DataFrame({"external_id": ["a", "b"], "content": ["x", "y"], "price": prices[:2]}))
    client.add_documents(pandas.DataFrame({"external_id": ["c"], "content": ["z"], "price": prices[2:]}))
    documents = [client.get_document(name) for name in ("a", "b", "c")]
    assert [document and document.metadata for document in documents] == [{"price": 9.5}, {"price": 12}, {}]


def found(**more: Any) -> SearchResult:
    row = {"chunk_id": 1, "document_id": 2, "external_id": "a", "chunk_index": 0, "content": "text", "score": 0.5}
    return SearchResult.from_row({**row, **more})


def test_results_become_frames(client: pgbraid.Client) -> None:
    client.add_documents(FRAMES["pandas"], id="key", text="body")
    client.embed_pending()
    results = client.search("seat")
    frame, table = results.to_pandas(), results.to_arrow()
    assert list(frame["external_id"]) == table["external_id"].to_pylist() == [row.external_id for row in results]
    assert list(frame["score"]) == table["score"].to_pylist() == [row.score for row in results]
    assert table["occurred_at"].to_pylist() == [row.occurred_at for row in results]
    assert [json.loads(text) for text in table["metadata"].to_pylist()] == list(frame["metadata"])


def test_frames_have_the_same_columns_and_types_whatever_was_found() -> None:
    none, some = SearchResults([]), SearchResults([found(boosts=[{"signal": "recency"}], semantic_rank=1)])
    assert none.to_arrow().schema == some.to_arrow().schema
    assert list(none.to_pandas().columns) == list(some.to_pandas().columns)
    assert len(none.to_pandas()) == 0
    # PostgreSQL's infinity becomes the first or last time that Python can hold.
    ends = SearchResults([found(occurred_at="infinity"), found(occurred_at="-infinity")])
    assert len(ends.to_arrow()) == len(ends.to_pandas()) == 2
    # Integers that are too long for Python come as Decimal.
    long = SearchResults([found(metadata={"n": Decimal("1" + "0" * 4400)})])
    assert "0" * 4400 in long.to_arrow()["metadata"][0].as_py() or "E" in long.to_arrow()["metadata"][0].as_py()
