"""The parts of an explained score add up to the search's score, and each has the value of BM25's formula."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

import pgbraid
from support import HashEmbedder
from support.calls import set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
WORDS = [
    "fox",
    "foxes",
    "hen",
    "henhouse",
    "river",
    "riverbank",
    "automobile",
    "motor",
    "ORA-00942",
    "東京都",
    "the",
    "run",
]


def fill(db: Connection, title_weight: float, k1: float = 1.2, b: float = 0.75) -> None:
    random_ = random.Random(7)
    db.execute(
        "select braid.create_collection('c',"
        " ranking => jsonb_build_object('title_weight', %s::float8, 'k1', %s::float8, 'b', %s::float8))",
        (float(title_weight), k1, b),
    )
    db.execute("select braid.set_synonyms('car', '{automobile,motor}', 'c')")
    db.execute("select braid.set_synonyms('fox', '{vixen}', 'c')")
    db.execute("select braid.set_synonyms('poultry', '{hen run,henhouse}', 'c')")
    db.execute("select braid.set_synonyms('river riverbank', '{fox the hen,motor,foxes filler}', 'c')")
    documents = [
        {
            "external_id": str(number),
            "title": " ".join(random_.choices(WORDS, k=random_.randint(0, 3))) or None,
            "content": " ".join(random_.choices([*WORDS, *["filler"] * 8], k=random_.randint(1, 40))),
        }
        for number in range(60)
    ]
    for start in range(0, 60, 20):
        upsert(db, documents[start : start + 20], "c")
    for number in range(0, 60, 7):
        db.execute("select braid.delete_document(%s, 'c')", (str(number),))


def explain(db: Connection, query: str, chunk_ids: list[int], **arguments: Any) -> list[Any]:
    return db.execute(
        "select * from braid.explain_score(%s, %s, %s, %s)",
        (
            query,
            chunk_ids,
            arguments.get("match", "any"),
            arguments.get("collection", "c"),
        ),
    ).fetchall()


def query_of(random_: random.Random) -> str:
    clauses = [
        *WORDS,
        "car",
        "poultry",
        "river riverbank",
        "riv*",
        "hen*",
        "f*",
        "nowhere",
        "fox OR car",
        "-run",
        '"fox river"',
        "+river",
        "+hen OR run",
    ]
    return " ".join(random_.choices(clauses, k=random_.randint(1, 6)))


@pytest.mark.parametrize(
    ("title_weight", "k1", "b"),
    [(1, 1.2, 0.75), (3.5, 0.9, 1), (0, 1.2, 0.75), (0, 0, 0), (0.5, 2, 0)],
)
def test_parts_add_up_to_the_score(db: Connection, title_weight: float, k1: float, b: float) -> None:
    fill(db, title_weight, k1, b)
    random_ = random.Random(title_weight)
    seen = several = 0
    for _ in range(60):
        query, match = query_of(random_), random_.choice(["any", "any", "all", "75%"])
        rows = db.execute(
            "select chunk_id, score from braid.full_text_search(%s, 1000, match => %s, collection => 'c')",
            (query, match),
        ).fetchall()
        scores = dict(rows)
        ids = [row[0] for row in db.execute("select id from braid_store.chunks")]
        random_.shuffle(ids)
        parts = explain(db, query, ids, match=match)
        sums: dict[int, list[float]] = defaultdict(list)
        for part in parts:
            sums[part[0]].append(part[-1])
        # A chunk that matches only terms of weight zero has a score of zero.
        found = {chunk for chunk, values in sums.items() if sum(values) > 0}
        assert found == {chunk for chunk, score in scores.items() if score > 0}, (
            query,
            match,
        )
        for chunk, score in scores.items():
            assert sum(sums[chunk]) == pytest.approx(score, abs=1e-9), query
        # Chunks keep the given order; each chunk's parts are sorted by contribution.
        order = list(dict.fromkeys(part[0] for part in parts))
        assert order == [chunk for chunk in ids if chunk in sums]
        seen += len(scores)
        terms = {(part[0], part[1]): [] for part in parts}  # type: ignore[var-annotated]
        for part in parts:
            terms[part[0], part[1]].append(part)
        several += sum(len(rows) > 1 for rows in terms.values())
        for rows in terms.values():
            _, _, _, _, _, df, idf, times, length, average, normalisation, _ = rows[0]
            assert {row[5:11] for row in rows} == {(df, idf, times, length, average, normalisation)}
            assert normalisation == pytest.approx(k1 * (1 - b + b * length / average))
            f = sum(row[3] + title_weight * row[4] for row in rows)
            assert sum(row[-1] for row in rows) == pytest.approx(times * idf * f / (f + normalisation) if f else 0)
    assert seen > 200 and several > 20


def test_the_columns(db: Connection) -> None:
    db.execute("select braid.create_collection('c', ranking => '{\"title_weight\": 2}')")
    db.execute("select braid.set_synonyms('car', '{automobile}', 'c')")
    upsert(
        db,
        [
            {
                "external_id": "1",
                "title": "Foxes",
                "content": "the fox, a fox; an automobile and a car",
            },
            {"external_id": "2", "content": "an automobile, hens"},
            {"external_id": "3", "content": "nothing of it"},
        ],
        "c",
    )
    ids = [row[0] for row in db.execute("select id from braid_store.chunks order by id")]
    parts = explain(db, "fox fox the car nowhere hen*", ids)
    # The columns are chunk, term, lexeme, body, title, documents, in the query; the length counts the title twice.
    assert [(*part[:6], part[7], part[8]) for part in parts if part[1] == "fox"] == [
        (ids[0], "fox", "fox", 2, 1, 1, 2, 6)
    ]
    assert {part[1:3]: part[5] for part in parts} == {
        ("fox", "fox"): 1,
        ("car", "car"): 2,
        ("car", "automobil"): 2,
        ("hen*", "hen"): 1,
    }
    fox = next(part for part in parts if part[1] == "fox")
    assert fox[6] == pytest.approx(math.log(1 + (3 - 1 + 0.5) / 1.5))
    shares = [part[-1] for part in parts if part[0] == ids[0] and part[1] == "car"]
    assert len(shares) == 2 and shares[0] == pytest.approx(shares[1])
    assert {part[0] for part in parts} == {ids[0], ids[1]}
    # A chunk that lacks a demanded term has no score.
    assert {part[0] for part in explain(db, "+fox automobile", ids)} == {ids[0]}
    assert {part[0] for part in explain(db, "automobile -hen", ids)} == {ids[0]}
    assert {part[0] for part in explain(db, "fox car", ids, match="all")} == {ids[0]}
    assert explain(db, "", ids) == explain(db, "-fox", ids) == explain(db, "fox", []) == []
    assert explain(db, "fox", [ids[0]] * 3) == explain(db, "fox", ids)


@pytest.mark.parametrize(
    ("sqlstate", "query", "chunk_ids", "arguments", "named_in_message"),
    [
        ("22023", None, [], {}, "query_text"),
        ("22023", "fox", None, {}, "chunk_ids"),
        ("22023", "fox", [1] * 10001, {}, "10001"),
        ("22023", "fox", [], {"match": "some"}, "match"),
        ("42704", "fox", [], {"collection": "none"}, "none"),
        ("42704", "fox", [-1], {}, "chunk -1"),
        ("42704", "fox", [None], {}, "chunk null"),
        ("42704", "fox", "elsewhere", {}, "default"),
    ],
)
def test_what_is_refused(
    db: Connection,
    sqlstate: str,
    query: Any,
    chunk_ids: Any,
    arguments: dict[str, Any],
    named_in_message: str,
) -> None:
    db.execute("select braid.create_collection('c')")
    upsert(db, [{"external_id": "1", "content": "fox"}], "c")
    if chunk_ids == "elsewhere":
        chunk_ids = [row[0] for row in db.execute("select id from braid_store.chunks")]
    with pytest.raises(psycopg.Error) as raised:
        explain(db, query, chunk_ids, **{"collection": "default", **arguments})
    assert (raised.value.sqlstate, bool(raised.value.diag.message_hint)) == (
        sqlstate,
        True,
    )
    assert named_in_message in (raised.value.diag.message_primary or "")


def test_another_tenants_chunks_are_unknown(db: Connection) -> None:
    db.execute("select braid.create_tenant('acme')")
    upsert(db, [{"external_id": "1", "content": "secret fox"}])
    ids = [row[0] for row in db.execute("select id from braid_store.chunks")]
    set_tenant(db, "acme")
    with pytest.raises(psycopg.errors.UndefinedObject, match=f"chunk {ids[0]} does not exist"):
        explain(db, "fox", ids, collection="default")


def test_in_python(dsn: str) -> None:
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        client.add_documents([{"external_id": "a", "content": "A quick fox."}])
        (row,) = client.search("quick fox", mode="full_text")
        parts = client.explain_score("quick fox", [row.chunk_id])
        assert {(part.chunk_id, part.term, part.frequency) for part in parts} == {
            (row.chunk_id, "quick", 1),
            (row.chunk_id, "fox", 1),
        }
        assert sum(part.contribution for part in parts) == pytest.approx(row.full_text_score)


def test_statistics_of_a_search(db: Connection) -> None:
    fill(db, 1)
    plain, explained = (
        db.execute(
            "select braid.search_json(%s, collection => 'c', options => %s)",
            ("fox fox riv* car", options),
        ).fetchone()[0]["stats"]  # type: ignore[index]
        for options in (None, Jsonb({"explain": True}))
    )
    assert set(explained) - set(plain) == {
        "term_statistics",
        "postings",
        "postings_read",
        "chunks_scored",
        "segments",
        "expanded",
    }
    assert [term["term"] for term in explained["term_statistics"]] == explained["terms"] == ["car", "fox", "riv*"]
    assert explained["expanded"] == {
        "car": ["automobil", "motor"],
        "riv*": ["river", "riverbank"],
    }
    ids = [row[0] for row in db.execute("select id from braid_store.chunks")]
    parts = {part[1]: part for part in explain(db, "fox fox riv* car", ids)}
    for term in explained["term_statistics"]:
        part = parts[term["term"]]
        assert (term["document_frequency"], term["idf"]) == (part[5], part[6])
        assert term["weight"] == pytest.approx(part[6] * part[7])
    lexemes = [lexeme for term in explained["term_statistics"] for lexeme in term["lexemes"]]
    count = db.execute(
        "select sum(posting_count) from braid_store.postings where lexeme = any (%s)",
        (lexemes,),
    )
    assert count.fetchone() == (explained["postings"],)
    assert explained["postings_read"] == explained["postings"]
    assert explained["returned_results"] <= explained["chunks_scored"] < len(ids)
    count = db.execute("select count(*) from braid_store.segments where not is_deletion")
    assert count.fetchone() == (explained["segments"],)
    nothing = db.execute("select braid.search_json('nowhere', options => '{\"explain\": true}')").fetchone()
    assert nothing and nothing[0]["stats"]["term_statistics"] == []
