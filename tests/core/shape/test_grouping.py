"""Rows are grouped by their document or by one of their values."""

from __future__ import annotations

import math
from typing import Any

import psycopg
import pytest

from support.arranged import fill, plain_rows, search
from support.arrangement import Row, group
from support.calls import upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


def value_of(key: str) -> Any:
    if key in ("document", "external_id"):
        return lambda row: row.external_id
    return lambda row: row.attributes[key.removeprefix("metadata.")]


@pytest.mark.parametrize("key", ["document", "external_id", "speaker", "source_uri", "team", "metadata.team"])
def test_groups_are_those_of_the_model(db: Connection, key: str) -> None:
    rows = plain_rows(db, fill(db))
    for size, score in [(None, None), (1, "max"), (2, "max"), (3, "sum"), (2, "mean"), (1, "mixture"), (2, "mixture")]:
        for match_count in (3, 1000):
            groups = group(rows, value_of(key), size or 1, score or "max")[:match_count]
            expected = [
                (row.external_id, row.chunk_index, row.score, pytest.approx(found.score, rel=1e-12))
                for found in groups
                for row in found.rows
            ]
            options = {"group_by": {"key": key, "size": size, "score": score}}
            columns = "external_id, chunk_index, score, group_score"
            assert search(db, columns, options, match_count=match_count) == expected


def test_a_mixture_of_equal_scores_is_that_score(db: Connection) -> None:
    db.execute("select braid.create_collection('ties', dimensions => 2)")
    chunks = [{"content": f"x {n}", "embedding": [1, 0.5]} for n in range(3)]
    upsert(db, [{"external_id": name, "chunks": chunks[: 1 + n % 3]} for n, name in enumerate("abcdef")], "ties")
    for turn in range(1, 40):
        rows = db.execute(
            "select external_id, group_score = score from braid.semantic_search(%s::vector, collection => 'ties',"
            """ options => '{"group_by": {"key": "document", "score": "mixture"}}')""",
            (f"[1,{turn / 40}]",),
        ).fetchall()
        assert rows == [(name, True) for name in "abcdef"]


def test_groups_of_a_nested_key_and_of_json_values(db: Connection) -> None:
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    values: list[Any] = [{"a": {"b": 1}}, {"a": {"b": 1.0}}, {"a.b": 1}, {"a": {"b": "1"}}, {"a": {"b": None}}, {}]
    for number, metadata in enumerate(values * 2):
        db.execute(
            "select braid.upsert_document(%s, 'amber', metadata => %s, collection => 'shapes')",
            (f"d{number:02}", psycopg.types.json.Jsonb(metadata)),
        )
    found = search(db, "external_id", {"group_by": "a.b"}, query_embedding=None)
    # Numbers are equal as numbers; rows without the value form no group.
    assert [row[0] for row in found] == ["d00", "d03", "d04", "d05", "d10", "d11"]


def test_a_leg_alone_finds_as_many_groups_as_asked(db: Connection) -> None:
    chunks = fill(db)
    documents: dict[str, float] = {}
    for external_id, score in search(db, "external_id, score", query_embedding=None):
        documents.setdefault(external_id, score)
    expected = list(documents.items())[:15]
    assert len(expected) == 15 and len(chunks) > 15
    options = {"group_by": "document"}
    found = search(db, "external_id, group_score", options, query_embedding=None, candidate_count=None, match_count=15)
    assert found == expected


def test_more_candidates_are_fetched_for_as_many_groups_passages_or_texts_as_asked(db: Connection) -> None:
    """A search fetches more candidates until it has the requested number of groups, passages or texts: one
    document's chunks fill the first candidates of every leg."""
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    great = [{"content": "amber amber", "embedding": [2, 1, 0, -1]}] * 450
    others: list[dict[str, Any]] = []
    for n in range(1, 8):
        # Each chunk is twenty degrees further from the query.
        near, far = math.cos(math.radians(20 * n)), math.sqrt(6) * math.sin(math.radians(20 * n))
        others.append({"content": "amber " + "basket " * n, "embedding": [2 * near, near, far, -near]})
    upsert(db, [{"external_id": "d00", "chunks": great}], "shapes")
    upsert(db, [{"external_id": f"d{n:02}", **chunk} for n, chunk in enumerate(others, 1)], "shapes")
    expected = [(f"d{n:02}", 0) for n in range(5)]
    ways: list[dict[str, Any]] = [
        {"group_by": "document"},
        {"collapse": True},
        {"collapse": {}},
        {"context": {"before": 0}},
    ]
    for options in ways:
        for leg in ({}, {"query_text": None}, {"query_embedding": None}):
            arguments = {"query_text": "amber", "match_count": 5, "candidate_count": None, **leg}
            assert search(db, "external_id, chunk_index", options, **arguments) == expected, (options, leg)
        row = db.execute("select min(id) from braid_store.chunks where content = 'amber amber'").fetchone()
        assert row is not None
        found = db.execute(
            "select external_id from braid.similar_chunks(%s, 5, options => %s)",
            (row[0], psycopg.types.json.Jsonb(options)),
        ).fetchall()
        assert found == [(key[0],) for key in expected], options


def test_candidates_far_down_the_ranking_are_not_looked_up_to_be_arranged(db: Connection) -> None:
    fill(db, document_count=60)

    def looked_up(options: dict[str, Any] | None) -> int:
        counted = "select coalesce(sum(idx_scan), 0) from pg_stat_xact_user_tables where relname = 'chunks'"
        with db.transaction():
            before = db.execute(counted).fetchone()
            assert len(search(db, "1", options, match_count=5)) == 5
            after = db.execute(counted).fetchone()
        assert before is not None and after is not None
        return int(after[0] - before[0])

    plain = looked_up(None)
    assert plain > 200
    assert looked_up({"group_by": "document"}) < plain + 40
    assert looked_up({"collapse": True}) < plain + 40
    assert looked_up({"group_by": "document", "collapse": True, "context": {"after": 1}}) < plain + 80


def test_no_rows_make_no_groups(db: Connection) -> None:
    fill(db)
    options = {"group_by": "document", "collapse": {}, "diversify": True, "context": {"before": 1}}
    assert search(db, "1", options, query_text="nothing", query_embedding=None) == []


def test_what_cannot_be_grouped_is_an_error(db: Connection) -> None:
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"group_by": 1}, "group_by is 1"),
        ({"group_by": ""}, "group_by"),
        ({"group_by": "$or"}, '"$or"'),
        ({"group_by": "occurred_at"}, "occurred_at"),
        ({"group_by": "title"}, "title"),
        ({"group_by": "created_at"}, "created_at"),
        ({"group_by": ["document"]}, "group_by"),
        ({"group_by": {"size": 2}}, "group_by is"),
        ({"group_by": {"score": "max"}}, "group_by is"),
        ({"group_by": {"key": None, "score": "max"}}, "group_by is"),
        ({"group_by": {"key": "document", "size": 0}}, "group_by: size is 0"),
        ({"group_by": {"key": "document", "size": 101}}, "group_by: size is 101"),
        ({"group_by": {"key": "document", "size": 1.5}}, "group_by: size is 1.5"),
        ({"group_by": {"key": "document", "size": "2"}}, "group_by: size"),
        ({"group_by": {"key": "document", "score": "median"}}, "median"),
    ]
    for options, said in cases:
        with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
            search(db, "1", options)
        assert said in str(error.value) and error.value.diag.message_hint


def test_null_is_as_if_not_given(db: Connection) -> None:
    chunks = fill(db)
    nothing = dict.fromkeys(["group_by", "collapse", "diversify", "context", "cursor"])
    found = search(db, "external_id, chunk_index, score, cursor", {**nothing, "collapse": False, "diversify": False})
    assert found == [(row.external_id, row.chunk_index, row.score, None) for row in plain_rows(db, chunks)]
    assert isinstance(plain_rows(db, chunks)[0], Row)


def test_a_document_goes_by_three_names(db: Connection) -> None:
    fill(db)
    names = ("document", "external_id", "document_id")
    found = [search(db, "external_id, chunk_index", {"group_by": name}) for name in names]
    assert found[0] == found[1] == found[2]
