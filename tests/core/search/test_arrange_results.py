"""Rows with scores from elsewhere, such as a reranker's, keep all features of a search's own rows."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.arranged import fill, keys, plain_rows, search
from support.arrangement import Row, collapse, diversify, group, merge
from support.calls import set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


def arrange(
    db: Connection,
    columns: str,
    chunk_ids: Any,
    scores: Any,
    options: dict[str, Any] | None = None,
    match_count: int | None = 1000,
    collection: str = "shapes",
) -> list[Any]:
    return db.execute(
        f"select {columns} from braid.arrange_results(%s::bigint[], %s::float8[], %s, %s, %s)",
        (chunk_ids, scores, match_count, collection, None if options is None else Jsonb(options)),
    ).fetchall()


@pytest.fixture
def scored(db: Connection) -> tuple[list[int], list[float], list[Row], dict[str, list[dict[str, Any]]]]:
    """Return chunks with scores in an independent order, some negative and some equal, as rows, best first."""
    chunks = fill(db)
    rows = plain_rows(db, chunks)
    chunk_ids = [row[0] for row in search(db, "chunk_id")]
    rng = random.Random(8)
    scores = [rng.randint(-20, 20) / 4 for _ in rows]
    scored_rows = sorted(
        (replace(row, score=score) for row, score in zip(rows, scores, strict=True)),
        key=lambda row: -row.score,
    )
    return chunk_ids, scores, scored_rows, chunks


def test_the_highest_score_comes_first(db: Connection, scored: Any) -> None:
    chunk_ids, scores, rows, _ = scored
    columns = "external_id, chunk_index, score, content, group_score, cursor, full_text_rank, semantic_score"
    expected = [(row.external_id, row.chunk_index, row.score, row.content, None, None, None, None) for row in rows]
    assert arrange(db, columns, chunk_ids, scores) == expected
    assert arrange(db, columns, chunk_ids, scores, {}, 7) == expected[:7]
    assert arrange(db, columns, [], []) == []
    best = [float("inf"), float("-inf")]
    assert arrange(db, "score", chunk_ids[:2], best) == [(best[0],), (best[1],)]


def test_everything_that_a_search_arranges(db: Connection, scored: Any) -> None:
    chunk_ids, scores, rows, chunks = scored
    columns = "external_id, chunk_index"
    options: dict[str, Any] = {"collapse": {"similarity": 0.9}}
    kept = collapse(rows, 0.9)
    assert arrange(db, columns, chunk_ids, scores, options) == keys(kept)
    assert arrange(db, columns, chunk_ids, scores, {**options, "diversify": {"lambda": 0.4}}, 9) == keys(
        diversify(kept, 0.4, 9)
    )
    groups = group(rows, lambda row: row.external_id, 2, "mean")[:6]
    options = {"group_by": {"key": "document", "size": 2, "score": "mean"}}
    assert arrange(db, f"{columns}, group_score", chunk_ids, scores, options, 6) == [
        (*key, pytest.approx(found.score)) for found in groups for key in keys(found.rows)
    ]
    assert arrange(db, f"{columns}, passage_start, passage_end", chunk_ids, scores, {"context": {"after": 1}}, 9) == [
        (row.external_id, row.chunk_index, min(indexes), max(indexes))
        for row, indexes in merge(rows, 0, 1, 9, lambda key: len(chunks[key]))
    ]
    assert arrange(db, "snippet", chunk_ids[:1], [1.0], {"snippet": True})[0][0]


def test_pages(db: Connection, scored: Any) -> None:
    chunk_ids, scores, rows, _ = scored
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = arrange(db, "external_id, chunk_index, cursor", chunk_ids, scores, {"cursor": cursor}, 7)
        found += [row[:2] for row in page]
        cursor = page[-1][2]
        assert len(page) == 7 or cursor is None
    assert found == keys(rows)
    first = arrange(db, "cursor", chunk_ids, scores, {"cursor": ""}, 7)[-1][0]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="another query"):
        arrange(db, "1", chunk_ids, [scores[0] + 1, *scores[1:]], {"cursor": first})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="another query"):
        arrange(db, "1", chunk_ids[1:], scores[1:], {"cursor": first})


def test_what_cannot_be_arranged_is_named(db: Connection, scored: Any) -> None:
    chunk_ids = scored[0][:2]
    one, two = chunk_ids
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"scores": [1.0]}, "22023", "2 elements"),
        ({"scores": [1.0, 2.0, 3.0]}, "22023", "3"),
        ({"scores": None}, "22023", "null"),
        ({"chunk_ids": None}, "22023", "null"),
        ({"scores": [1.0, None]}, "22023", "scores has a null"),
        ({"chunk_ids": [one, None]}, "22023", "chunk_ids has a null"),
        ({"scores": [1.0, float("nan")]}, "22023", f"NaN of chunk {two}"),
        ({"chunk_ids": [one, one]}, "22023", f"chunk {one} is given more than once"),
        ({"chunk_ids": [[one, two]], "scores": [[1.0, 2.0]]}, "22023", "elements"),
        ({"chunk_ids": [-6, -7]}, "42704", "chunk -6"),
        ({"chunk_ids": [one, -7], "options": {"cursor": ""}}, "42704", "chunk -7"),
        ({"collection": "default"}, "42704", f"chunk {one}"),
        ({"collection": "nothing"}, "42704", "nothing"),
        ({"match_count": 0}, "22023", "match_count"),
        ({"match_count": None}, "22023", "match_count"),
        ({"options": {"diversify": {"lambda": 2}}}, "22023", "lambda"),
        ({"options": {"x": 2}}, "22023", "x"),
        ({"options": {"exact": True}}, "22023", "exact"),
    ]
    for change, state, said in cases:
        arguments = {"chunk_ids": chunk_ids, "scores": [1.0, 2.0], **change}
        with pytest.raises(psycopg.Error) as error:
            arrange(db, "1", **arguments)
        assert error.value.sqlstate == state and said in str(error.value) and error.value.diag.message_hint


def test_chunks_that_are_gone_are_left_out(db: Connection, scored: Any) -> None:
    chunk_ids, scores, rows, _ = scored
    gone = {rows[2].external_id, rows[5].external_id}
    db.execute("select braid.delete_documents(%s, 'shapes')", [list(gone)])
    left = [row for row in rows if row.external_id not in gone]
    columns = "external_id, chunk_index, score"
    assert arrange(db, columns, chunk_ids, scores) == [(row.external_id, row.chunk_index, row.score) for row in left]
    grouped = arrange(db, "external_id", chunk_ids, scores, {"group_by": "document"})
    assert grouped == [(name,) for name in dict.fromkeys(row.external_id for row in left)]


def test_chunks_of_another_tenant_do_not_exist(db: Connection, scored: Any) -> None:
    chunk_ids = scored[0]
    messages = []
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    upsert(db, [{"external_id": "mine", "content": "amber"}], "shapes")
    for chunk_id in (chunk_ids[0], 10**12):
        with pytest.raises(psycopg.errors.UndefinedObject) as error:
            arrange(db, "1", [chunk_id], [1.0])
        messages.append(str(error.value).replace(str(chunk_id), "?"))
    assert messages[0] == messages[1]
