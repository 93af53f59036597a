"""pool_results returns what judges look at, and judge_agreement how far they agree."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, set_tenant, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
WORDS = ["fox", "dog", "cat", "bird", "fish", "horse"]
FULL_TEXT = {"mode": "full_text", "collection": "small"}
SEMANTIC = {"mode": "semantic", "collection": "small"}


@pytest.fixture(scope="module")
def texts(shared_db: Connection) -> Connection:
    """Fill documents of several chunks, and queries that each have an embedding."""
    chance = random.Random(3)
    db = shared_db
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")

    def vector() -> list[float]:
        return [round(chance.gauss(0, 1), 3) for _ in range(3)]

    def chunk() -> dict[str, Any]:
        return {"content": " ".join(chance.choices(WORDS, k=chance.randrange(2, 6))), "embedding": vector()}

    documents = [
        {"external_id": f"d{n}", "title": f"title {n}", "chunks": [chunk() for _ in range(chance.randrange(1, 4))]}
        for n in range(40)
    ]
    upsert(db, documents, "small")
    queries = [{"query_id": f"q{n}", "text": word, "embedding": vector()} for n, word in enumerate(WORDS[:3])]
    for name, level in (("asked", "document"), ("parts", "chunk")):
        db.execute("select braid.create_query_set(%s, %s)", (name, level))
        db.execute("select braid.store_queries(%s, %s, 'small')", (name, Jsonb(queries)))
    db.execute("""select braid.store_queries('asked', '[{"query_id": "q3", "text": "unicorn"}]')""")
    return db


def pool(db: Connection, configurations: Any, query_set: str = "asked", **more: Any) -> list[dict[str, Any]]:
    given = {"query_set": query_set, "configurations": Jsonb(configurations), "query_ids": ["q0", "q1", "q2"]} | more
    arguments = ", ".join(f"{name} => %s" for name in given)
    statement = f"select to_jsonb(p) from braid.pool_results({arguments}) p"
    return [row for (row,) in db.execute(statement.encode(), list(given.values())).fetchall()]


def store(db: Connection, judgments: list[tuple[str, str, str, int]]) -> None:
    keys = ("query_id", "external_id", "judge", "grade")
    made = [dict(zip(keys, judgment, strict=True)) for judgment in judgments]
    db.execute("select braid.store_judgments('asked', %s)", (Jsonb(made),))


def first_documents(db: Connection, configuration: dict[str, Any], depth: int) -> dict[str, list[tuple[str, int]]]:
    """Return for each query the documents in order, each with the chunk that represents it."""
    found = {}
    for number, word in enumerate(WORDS[:3]):
        embedding = one(
            db,
            "select embedding::text from braid_store.query_set_embeddings where query_set = 'asked' and query_id = %s",
            f"q{number}",
        )
        rows = db.execute(
            """
            select external_id, chunk_id from braid.hybrid_search(
              query_text => %s, query_embedding => %s, match_count => %s, collection => 'small',
              options => '{"group_by": "document"}')
            """,
            (
                None if configuration["mode"] == "semantic" else word,
                None if configuration["mode"] == "full_text" else embedding,
                depth,
            ),
        ).fetchall()
        found[f"q{number}"] = rows
    return found


def test_the_first_results_of_all_are_there_once(texts: Connection) -> None:
    rows = pool(texts, [FULL_TEXT, SEMANTIC], depth=7)
    by_text, by_vector = first_documents(texts, FULL_TEXT, 7), first_documents(texts, SEMANTIC, 7)
    for query in ("q0", "q1", "q2"):
        pooled = [row["external_id"] for row in rows if row["query_id"] == query]
        expected = {document for document, _ in by_text[query] + by_vector[query]}
        assert len(pooled) == len(set(pooled)) < 14
        assert set(pooled) == expected
        # The rows come neither by configuration nor in the order of a ranking.
        assert pooled != sorted(pooled, key=[document for document, _ in by_text[query] + by_vector[query]].index)
        best = {by_text[query][0], by_vector[query][0]}
        shown = {(row["external_id"], row["chunk_id"]) for row in rows if row["query_id"] == query}
        assert by_text[query][0] in shown or by_vector[query][0] in shown, best
    assert [row["query_id"] for row in rows] == sorted(row["query_id"] for row in rows)
    assert rows[0].keys() == {
        "query_id",
        "query_text",
        "external_id",
        "chunk_index",
        "chunk_id",
        "title",
        "content",
    }
    assert rows[0]["chunk_index"] is None
    for row in rows:
        content = one(texts, "select content from braid_store.chunks where id = %s", row["chunk_id"])
        assert (row["content"], row["title"]) == (content, f"title {row['external_id'][1:]}")


def test_the_seed_decides_the_order(texts: Connection) -> None:
    first = pool(texts, [FULL_TEXT], seed=1)
    assert pool(texts, [FULL_TEXT], seed=1) == first
    other = pool(texts, [FULL_TEXT], seed=2)
    assert other != first
    assert {row["chunk_id"] for row in other} == {row["chunk_id"] for row in first}
    # Each query has its own order.
    assert pool(texts, [FULL_TEXT], seed=1, query_ids=["q1"]) == [row for row in first if row["query_id"] == "q1"]


def test_what_is_graded_is_left_out(texts: Connection) -> None:
    with texts.transaction(force_rollback=True):
        rows = pool(texts, [FULL_TEXT], query_ids=["q0"])
        a, b, c, *_ = documents = [row["external_id"] for row in rows]
        store(texts, [("q0", a, "ana", 2), ("q0", b, "bo", 0), ("q0", c, "ana", -1)])

        def left(judge: str | None) -> list[str]:
            return [row["external_id"] for row in pool(texts, [FULL_TEXT], query_ids=["q0"], judge=judge)]

        assert left("ana") == [document for document in documents if document != a]
        assert left("bo") == [document for document in documents if document != b]
        assert left("nobody") == documents
        # Any judge's grade counts; a grade below 0 counts as no judgment.
        assert left(None) == [document for document in documents if document not in (a, b)]


def test_chunks_are_pooled_in_a_set_of_chunks(texts: Connection) -> None:
    rows = pool(texts, [FULL_TEXT], "parts", depth=30)
    parts = [(row["query_id"], row["external_id"], row["chunk_index"]) for row in rows]
    assert len(parts) == len(set(parts)) > len({part[:2] for part in parts})
    query_id, external_id, chunk_index = parts[0]
    made = [{"query_id": query_id, "external_id": external_id, "chunk_index": chunk_index, "grade": 1}]
    with texts.transaction(force_rollback=True):
        texts.execute("select braid.store_judgments('parts', %s)", (Jsonb(made),))
        assert len(pool(texts, [FULL_TEXT], "parts", depth=30)) == len(rows) - 1


def test_filters_of_queries_and_depths_hold(texts: Connection) -> None:
    narrow = {**FULL_TEXT, "filters": {"external_id": "d1"}}
    assert {row["external_id"] for row in pool(texts, [narrow], depth=1000)} <= {"d1"}
    assert max(np.unique([row["query_id"] for row in pool(texts, [FULL_TEXT], depth=3)], return_counts=True)[1]) == 3
    # The depth is at most the configuration's match_count.
    assert len(pool(texts, [{**FULL_TEXT, "match_count": 2}], query_ids=["q0"])) == 2


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    ({}, {}, "configurations is a JSON object"),
    ([], {}, "configurations has 0 elements"),
    ([{}] * 21, {}, "configurations has 21 elements"),
    ([FULL_TEXT, 7], {}, "configuration 2: configuration is a JSON number"),
    ([{"limit": 3}], {}, 'configuration 1: configuration has the unknown key "limit"'),
    ([{**FULL_TEXT, "options": {"none": 1}}], {}, 'query "q0": .*none'),
    ([FULL_TEXT], {"depth": 0}, "depth is 0"),
    ([FULL_TEXT], {"depth": None}, "depth is null"),
    ([FULL_TEXT], {"judge": ""}, "judge is ''"),
    ([FULL_TEXT], {"judge": "é" * 128}, "judge is 'é"),
    ([FULL_TEXT], {"seed": None}, "seed is null"),
    ([{"collection": "small"}], {"query_ids": None}, 'configuration 1: 1 of 4 queries have no embedding .*"small"'),
]


@pytest.mark.parametrize(("configurations", "more", "message"), WRONG)
def test_what_cannot_be_pooled_is_refused(
    texts: Connection, configurations: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        pool(texts, configurations, **more)
    assert caught.value.diag.message_hint
    assert '"limit"' not in message or caught.value.diag.message_hint.startswith("Give match_count.")


def test_unknown_names_and_too_much_work_are_refused(texts: Connection) -> None:
    unknown: list[tuple[dict[str, Any], str]] = [
        ({"query_set": "none"}, 'query set "none" does not exist'),
        ({"query_ids": ["q0", "q9"]}, 'query "q9" is not in query set "asked"'),
        ({"query_ids": [None]}, 'query "null" is not in query set'),
        ({"configurations": [{"collection": "none"}]}, "configuration 1: .*none"),
    ]
    for more, message in unknown:
        with pytest.raises(psycopg.errors.UndefinedObject, match=message):
            pool(texts, **{"configurations": [FULL_TEXT], **more})
    with texts.transaction(force_rollback=True):
        many = [{"query_id": f"m{n}", "text": "fox"} for n in range(197)]
        texts.execute("select braid.store_queries('asked', %s)", (Jsonb(many),))
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="201 queries, 1 configurations and depth 1000"):
            pool(texts, [FULL_TEXT], depth=1000, query_ids=None)


def test_work_is_bounded_before_it_is_done(texts: Connection) -> None:
    # No search runs here: it would refuse this option.
    wrong = {**FULL_TEXT, "options": {"none": 1}}
    deep = {**wrong, "match_count": 10_000}
    with texts.transaction(force_rollback=True):
        many = [{"query_id": f"m{n:04}", "text": "fox"} for n in range(997)]
        texts.execute("select braid.store_queries('asked', %s)", (Jsonb(many),))
        ids = [query["query_id"] for query in many]
        for message, configurations, query_ids in (
            ("1001 queries, 20 configurations and depth 1 are more than 20000 searches", [wrong] * 20, None),
            ("21 queries, 1 configurations and depth 1 are", [deep], ids[:21]),
            ("2 queries, 11 configurations and depth 1 are", [wrong, *[deep] * 10], ids[:2]),
        ):
            with pytest.raises(psycopg.errors.ProgramLimitExceeded, match=message) as caught, texts.transaction():
                pool(texts, configurations, depth=1, query_ids=query_ids)
            assert "query_ids" in str(caught.value.diag.message_hint)
        # A query that is named several times counts once.
        assert len(pool(texts, [FULL_TEXT], depth=1, query_ids=["q0"] * 10_000)) == 1


def test_only_the_queries_asked_for_are_read(texts: Connection) -> None:
    def read() -> int:
        count: int = one(
            texts,
            "select seq_tup_read + idx_tup_fetch from pg_stat_xact_all_tables "
            "where relid = 'braid_store.queries'::regclass",
        )
        return count

    with texts.transaction(force_rollback=True):
        many = [{"query_id": f"m{n:04}", "text": "fox"} for n in range(997)]
        texts.execute("select braid.store_queries('asked', %s)", (Jsonb(many),))
        before = read()
        pool(texts, [FULL_TEXT, FULL_TEXT], query_ids=["q0", "q1"])
        assert read() - before < 20


def test_a_set_of_another_tenant_is_not_there(texts: Connection) -> None:
    texts.execute("select braid.create_tenant('strangers')")
    set_tenant(texts, "strangers")
    try:
        for call in ("pool_results('asked')", "judge_agreement('asked', 'ana')"):
            with pytest.raises(psycopg.errors.UndefinedObject, match='query set "asked" does not exist'):
                texts.execute(f"select braid.{call}".encode())
    finally:
        set_tenant(texts, "default")


def kappa(a: list[int], b: list[int], weighted: bool = False) -> float:
    """Compute 1 - observed disagreement / disagreement by chance (Cohen 1960, 1968)."""
    of = np.square if weighted else np.sign
    observed = of(np.abs(np.subtract(a, b))).mean()
    return float(1 - observed / of(np.abs(np.subtract.outer(a, b))).mean())


def test_agreement_is_that_of_its_definitions(texts: Connection) -> None:
    chance = random.Random(5)
    ana = [chance.randrange(4) for _ in range(60)]
    model = [min(3, max(0, grade + chance.choice([-1, 0, 0, 0, 1]))) for grade in ana]
    with texts.transaction(force_rollback=True):
        store(texts, [("q0", f"x{n}", "ana", grade) for n, grade in enumerate(ana)])
        store(texts, [("q0", f"x{n}", "model", grade) for n, grade in enumerate(model)])
        store(
            texts, [("q1", "x0", "ana", 3), ("q2", "x0", "model", 3), ("q2", "x1", "ana", -1), ("q2", "x1", "model", 1)]
        )
        found = one(texts, "select braid.judge_agreement('asked', 'model', 'ana')")
        assert (found["judged"], found["reference_judged"], found["judged_by_both"]) == (62, 61, 60)
        assert found["equal"] == pytest.approx(np.mean(np.equal(ana, model)))
        assert found["kappa"] == pytest.approx(kappa(ana, model))
        assert found["weighted_kappa"] == pytest.approx(kappa(ana, model, weighted=True))
        relevant, by_model = [int(grade > 0) for grade in ana], [int(grade > 0) for grade in model]
        assert found["relevant_equal"] == pytest.approx(np.mean(np.equal(relevant, by_model)))
        assert found["relevant_kappa"] == pytest.approx(kappa(relevant, by_model))
        assert sum(pair["count"] for pair in found["grades"]) == 60
        for pair in found["grades"]:
            pairs = zip(model, ana, strict=True)
            assert pair["count"] == sum(both == (pair["grade"], pair["reference_grade"]) for both in pairs)
        assert one(texts, "select braid.judge_agreement('asked', 'ana', 'model')")["kappa"] == found["kappa"]
        # The comparison is with the median of all others; the median of two grades is the lower one.
        store(texts, [("q0", f"x{n}", "bo", 0) for n in range(60)])
        others = one(texts, "select braid.judge_agreement('asked', 'model')")
        assert others["equal"] == pytest.approx(np.mean(np.equal(model, 0)))


def test_agreement_where_nothing_can_be_told(texts: Connection) -> None:
    with texts.transaction(force_rollback=True):
        store(texts, [("q0", "x1", "ana", 2), ("q0", "x1", "model", 2), ("q0", "x2", "bo", 1)])
        found = one(texts, "select braid.judge_agreement('asked', 'model', 'ana')")
        kappas = {found[name] for name in ("kappa", "weighted_kappa", "relevant_kappa")}
        assert (found["equal"], kappas) == (1, {None})
        found = one(texts, "select braid.judge_agreement('asked', 'model', 'bo')")
        assert (found["judged_by_both"], found["equal"], found["grades"]) == (0, None, [])
        for given, message in (
            ("'ana', 'ana'", 'judge is the reference, "ana"'),
            ("null", "judge is null"),
            ("'nobody'", 'no judgments of judge "nobody"'),
            ("'ana', 'nobody'", 'no judgments of judge "nobody"'),
        ):
            with pytest.raises(psycopg.errors.InvalidParameterValue, match=message), texts.transaction():
                texts.execute(f"select braid.judge_agreement('asked', {given})".encode())
