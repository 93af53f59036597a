"""A language model gets numbered passages within a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.arranged import QUERY, QUERY_VECTOR, fill, plain_rows, search
from support.arrangement import Row, collapse, merge
from support.calls import named, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
COLUMNS = "citation, external_id, passage_start, passage_end, token_count, total_tokens, score"


def assemble(db: Connection, columns: str = COLUMNS, **arguments: Any) -> list[Any]:
    arguments = {
        "query_text": QUERY,
        "query_embedding": QUERY_VECTOR,
        "collection": "shapes",
        "candidate_count": 1000,
        **{
            key: psycopg.types.json.Jsonb(value) if isinstance(value, dict) else value
            for key, value in arguments.items()
        },
    }
    return db.execute(f"select {columns} from braid.assemble_context({named(arguments)})", arguments).fetchall()


@pytest.mark.parametrize("sort", ["score", "document"])
@pytest.mark.parametrize("options", [{}, {"context": {"before": 1}, "collapse": True}])
def test_the_passages_are_those_that_fit(db: Connection, sort: str, options: dict[str, Any]) -> None:
    chunks = fill(db)
    rows = plain_rows(db, chunks)
    for budget, expected in contexts(db, rows, chunks, sort, options):
        assert assemble(db, token_budget=budget, match_count=20, sort=sort, options=options) == expected


def contexts(
    db: Connection, rows: list[Row], chunks: dict[str, list[dict[str, Any]]], sort: str, options: dict[str, Any]
) -> Iterator[tuple[int, list[Any]]]:
    """Yield budgets of tokens, and the passages of 20 rows that fit into each budget."""
    if options.get("collapse"):
        rows = collapse(rows)
    passages = merge(rows, options.get("context", {"before": 0})["before"], 0, 20, lambda key: len(chunks[key]))
    tokens: dict[tuple[str, int], int] = {
        (external_id, chunk_index): token_count
        for external_id, chunk_index, token_count in db.execute(
            "select d.external_id, c.chunk_index, c.token_count from braid_store.chunks c "
            "join braid_store.documents d on d.id = c.document_id"
        )
    }
    sizes = [sum(tokens[row.external_id, index] for index in indexes) for row, indexes in passages]
    for budget in (max(sizes), 3 * max(sizes) + 1, 10**6):
        fitting, total = [], 0
        for (row, indexes), size in zip(passages, sizes, strict=True):
            if total + size <= budget:
                fitting.append((row.external_id, min(indexes), max(indexes), size, row.score))
                total += size
        assert budget < 10**6 or len(fitting) == len(passages) > 10
        if sort == "document":
            first = list(dict.fromkeys(passage[0] for passage in fitting))
            fitting.sort(key=lambda passage: (first.index(passage[0]), passage[1]))
        totals = accumulate(passage[3] for passage in fitting)
        yield (
            budget,
            [
                (number, *passage[:4], total, passage[4])
                for number, (passage, total) in enumerate(zip(fitting, totals, strict=True), 1)
            ],
        )


@pytest.mark.parametrize("sort", ["score", "document"])
@pytest.mark.parametrize("options", [{}, {"context": {"before": 1}, "collapse": True}])
def test_the_passages_of_chunks_scored_elsewhere(db: Connection, sort: str, options: dict[str, Any]) -> None:
    chunks = fill(db)
    rows = plain_rows(db, chunks)
    grades = [float(number * 7 % 4) for number in range(len(rows))]
    reranked = sorted(
        (replace(row, score=grade) for row, grade in zip(rows, grades, strict=True)), key=lambda r: -r.score
    )
    chunk_ids = [row[0] for row in search(db, "chunk_id")]
    given = {"match_count": 20, "sort": sort, "collection": "shapes", "options": Jsonb(options)}
    for budget, expected in contexts(db, reranked, chunks, sort, options):
        arguments = {"chunk_ids": chunk_ids, "scores": grades, "token_budget": budget, **given}
        found = db.execute(f"select {COLUMNS} from braid.arrange_context({named(arguments)})", arguments).fetchall()
        assert found == expected
    # With a search's scores, it gives the context of the search.
    scores = [row.score for row in rows]
    arguments = {"chunk_ids": chunk_ids, "scores": scores, "token_budget": 500, **given}
    found = db.execute(f"select * from braid.arrange_context({named(arguments)})", arguments).fetchall()
    assert found == assemble(db, "*", token_budget=500, match_count=20, sort=sort, options=options) != []


def test_a_context_refuses_what_its_chunks_cannot_have(db: Connection) -> None:
    fill(db, document_count=3)
    (chunk_id,) = search(db, "chunk_id")[0]
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"scores": []}, "22023", "scores has 0"),
        ({"chunk_ids": [-7]}, "42704", "chunk -7"),
        ({"token_budget": 0}, "22023", "token_budget is 0"),
        ({"sort": "title"}, "22023", '"title"'),
        ({"match_count": 0}, "22023", "match_count"),
        ({"collection": "nothing"}, "42704", "nothing"),
        ({"options": Jsonb({"cursor": ""})}, "22023", "no pages"),
        ({"options": Jsonb({"exact": True})}, "22023", "exact has no meaning"),
    ]
    for change, state, said in cases:
        arguments = {"chunk_ids": [chunk_id], "scores": [1.0], "collection": "shapes", **change}
        with pytest.raises(psycopg.Error) as error:
            db.execute(f"select * from braid.arrange_context({named(arguments)})", arguments)
        assert error.value.sqlstate == state and said in str(error.value) and error.value.diag.message_hint


def test_a_citation_names_its_source(db: Connection) -> None:
    db.execute("select braid.create_collection('shapes', dimensions => 4, embedding_model => 'test')")
    chunks = [{"content": "amber one"}, {"content": "amber two"}, {"content": "basket"}]
    upsert(db, [{"external_id": "d", "title": "Stones", "source_uri": "file:d", "chunks": chunks}], "shapes")
    columns = "citation, external_id, title, source_uri, passage_start, passage_end, content"
    found = assemble(db, columns, query_text="amber", query_embedding=None)
    # The title matches nothing; touching chunks form one passage.
    assert found == [(1, "d", "Stones", "file:d", 0, 1, "amber one\namber two")]
    found = assemble(db, columns, query_text="amber", query_embedding=None, options={"context": {"after": 5}})
    assert found[0][5:] == (2, "amber one\namber two\nbasket")
    assert assemble(db, query_text="nothing", query_embedding=None) == []
    assert assemble(db, query_text="amber", query_embedding=None, options={"cursor": None}) == assemble(
        db, query_text="amber", query_embedding=None
    )
    (chunk_id,) = assemble(db, "chunk_id", query_text="amber", query_embedding=None)[0]
    assert search(db, "chunk_id", query_text="amber", query_embedding=None)[0] == (chunk_id,)


def test_if_no_passage_fits_the_best_is_cut_short(db: Connection) -> None:
    db.execute("select braid.create_collection('cut', 'simple', 3)")
    # One passage has more tokens per character at its beginning than later, and another has no spaces.
    codes = " ".join(f"{number:x}Q{number * 7919 % 977}" for number in range(60))
    plain = "the amber was in the house of the people and it was for them " * 20
    texts = {"dense": f"amber {codes} {plain}", "even": plain * 2, "solid": "amber " + "字" * 500}
    for name, text in texts.items():
        upsert(db, [{"external_id": name, "chunks": [{"content": text}]}], "cut")
        (size,) = assemble(
            db, "token_count", query_text="amber", query_embedding=None, collection="cut", token_budget=10**6
        )[0]
        for budget in (20, 50, 100):
            assert budget < size
            found = assemble(
                db, "content, token_count, total_tokens, external_id", query_text="amber", query_embedding=None,
                collection="cut", token_budget=budget,
            )  # fmt: skip
            ((content, tokens, total, external_id),) = found
            assert external_id == name and content.endswith(" …") and text.startswith(content.removesuffix(" …"))
            assert 0 < tokens == total <= budget
            assert tokens > budget / 3 or (name, budget) == ("solid", 20)
            if name != "solid":
                assert text[len(content) - 2] == " "  # the text ends with a whole word
        db.execute("select braid.clear_collection('cut')")


def test_a_budget_too_small_for_a_word_is_an_error(db: Connection) -> None:
    fill(db)
    sizes = [row[0] for row in assemble(db, "token_count", token_budget=10**6, match_count=1000)]
    assert assemble(db, "token_count", token_budget=min(sizes), match_count=1000) == [(min(sizes),)]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="token_budget is 1, too small") as error:
        assemble(db, token_budget=1, match_count=1000)
    assert error.value.diag.message_hint


def test_bad_input(db: Connection) -> None:
    fill(db, document_count=3)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"token_budget": 0}, "token_budget is 0"),
        ({"token_budget": -1}, "token_budget is -1"),
        ({"token_budget": None}, "token_budget is null"),
        ({"sort": "title"}, '"title"'),
        ({"sort": None}, "null"),
        ({"match_count": 0}, "match_count"),
        ({"query_text": None, "query_embedding": None}, "both empty"),
        ({"options": {"cursor": ""}}, "no pages"),
        ({"options": {"context": {"before": -1}}}, "context: before is -1"),
        ({"filters": {"$x": 1}}, "$x"),
    ]
    for change, said in cases:
        with pytest.raises(psycopg.errors.InvalidParameterValue) as error:
            assemble(db, **change)
        assert said in str(error.value) and error.value.diag.message_hint
