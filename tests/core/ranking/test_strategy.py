"""The strategy auto: what a query names comes first, and everything else is ranked as always."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import hybrid, one, upsert, vector

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]
ASKED = [1.0] + [0.0] * 383
FAR = [-1.0] + [0.0] * 383
NEAR = [1.0, 0.1] + [0.0] * 382

# Each is a query, the identifier that it names, and another of its kind.
NAMED = [
    ("PostgreSQL 17.2", "17.2", "17.1"),
    ("what is new in PostgreSQL 17.2 for us?", "17.2", "17.1"),
    ("error E-4012", "E-4012", "E-4099"),
    ("why do we get error E-4012 at night", "E-4012", "E-4099"),
    ("get_user_name", "get_user_name", "get_user_id"),
    ("how is (get_user_name) called", "get_user_name", "get_user_id"),
    ("userName of the table", "userName", "userId"),
    ("sales in docker-fig.yaml.", "docker-fig.yaml", "docker-pear.yaml"),
    ("std::sort of lists", "std::sort", "std::find"),
    ("open src/main.py there", "src/main.py", "src/other.py"),
    ("AB-12 in stock", "AB-12", "AB-13"),
    ("upgrade Java 17", "Java 17", "Java 16"),
    ("ORA-00942 at night", "ORA-00942", "ORA-00943"),
    ("HTTP 404 of the shop", "HTTP 404", "HTTP 500"),
    ('who said "red apple" and when was it?', "a red apple", "an apple that is red"),
]
UNNAMED = ["architectural philosophy", "figs of NIH 3T3 cells", "see Table 2.5", "the 18th fig of the 1960s"]
UNNAMED += [
    'which "fig" is told from pears?',
    "figs and/or pears",
    "a well-known fig",
    "how IL-6 and AB-12 act on figs",
    "fig " * 40 + '"red apple"',
]


def load(db: Connection, identifier: str, other: str, count: int = 30) -> None:
    """Store one chunk with the identifier, far from the query, and many near ones with its other words."""
    words = (
        "PostgreSQL new error night called user name table stock upgrade shop said fig pear open sales lists apple red"
    )
    near = [{"external_id": f"near{n}", "content": f"{words} {other}", "embedding": vector(NEAR)} for n in range(count)]
    far = {"external_id": "named", "content": f"Minutes {'of nothing ' * 30} {identifier}", "embedding": vector(FAR)}
    upsert(db, [*near, far])


def search(db: Connection, query: str, options: dict[str, Any], **arguments: Any) -> list[tuple[str, int, float]]:
    return hybrid(db, query_text=query, query_embedding=vector(ASKED), options=options, **arguments)


def reason(db: Connection, query: str) -> str:
    answer = one(
        db, "select braid.search_json(%s, %s, options => %s)", query, vector(ASKED), Jsonb({"strategy": "auto"})
    )
    return str(answer["stats"]["strategy_reason"])


@pytest.mark.parametrize(("query", "identifier", "other"), NAMED)
def test_what_is_named_comes_first(db: Connection, query: str, identifier: str, other: str) -> None:
    load(db, identifier, other)
    assert search(db, query, {})[0][0] != "named"
    for arguments in ({}, {"fusion": "rrf"}, {"fusion": "max"}, {"fusion": "dbsf"}, {"full_text_weight": 0.01}):
        rows = search(db, query, {"strategy": "auto"}, **arguments)
        assert rows[0][0] == "named" and len(rows) == 10, arguments
    assert "come first" in reason(db, query)


@pytest.mark.parametrize("query", UNNAMED)
def test_other_queries_are_ranked_as_always(db: Connection, query: str) -> None:
    load(db, "philosophy 2.5 3T3 1960s 18th IL-6 AB-12 red apple", "fig")
    assert search(db, query, {"strategy": "auto"}) == search(db, query, {}) == search(db, query, {"strategy": "hybrid"})
    assert "as always" in reason(db, query)


def test_full_text_alone_ranks_them_first_too(db: Connection) -> None:
    load(db, "17.2", "17.1 PostgreSQL PostgreSQL upgrade", count=150)
    for query in ("PostgreSQL upgrade 17.2.", "how do I upgrade to PostgreSQL 17.2 at night"):
        rows = hybrid(db, query_text=query, options={"strategy": "auto"})
        assert rows[0][0] == "named" and len(rows) == 10


def test_an_identifier_of_many_chunks_is_in_all_rows(db: Connection) -> None:
    named = [{"external_id": f"named{n}", "content": "node.js " + "of nothing " * 9} for n in range(150)]
    other = [{"external_id": f"other{n}", "content": "http server timeout settings"} for n in range(150)]
    for document in named + other:
        document["embedding"] = vector(FAR if document in named else NEAR)
    upsert(db, named + other)
    query = "http server timeout settings of node.js"
    assert not any(row[0].startswith("named") for row in search(db, query, {}))
    for arguments in ({}, {"match_count": 100}, {"fusion": "rrf"}):
        rows = search(db, query, {"strategy": "auto"}, **arguments)
        assert len(rows) == arguments.get("match_count", 10) and all(row[0].startswith("named") for row in rows)
    assert "all rows have it" in reason(db, query)
    text_only = hybrid(db, query_text=query, options={"strategy": "auto"})
    assert len(text_only) == 10 and all(row[0].startswith("named") for row in text_only)


def test_an_identifier_of_many_chunks_leaves_no_page_unfilled(db: Connection) -> None:
    chunks = [{"content": "the failure E-4012 occurred"} for _ in range(150)]
    other = [{"external_id": f"other{n}", "content": f"failure of pump {n}"} for n in range(40)]
    upsert(db, [{"external_id": "named", "chunks": chunks}, *other])
    for options in ({"group_by": "document"}, {"collapse": True}):
        rows = hybrid(db, query_text="failure E-4012", options={"strategy": "auto", **options})
        assert len(rows) == 10 and rows[0][0] == "named", options


def test_pages_under_auto_do_not_depend_on_their_size(db: Connection) -> None:
    named = [{"external_id": f"named{n}", "content": f"the failure E-4012 in part {n}"} for n in range(5)]
    upsert(db, named + [{"external_id": f"other{n}", "content": f"failure of pump {n}"} for n in range(20)])

    def pages(size: int) -> list[str]:
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            rows = db.execute(
                "select external_id, cursor from braid.full_text_search('failure E-4012', match_count => %s,"
                " options => %s)",
                (size, Jsonb({"strategy": "auto", "cursor": cursor})),
            ).fetchall()
            found += [row[0] for row in rows]
            cursor = rows[-1][1] if rows else None
        return found

    assert len(pages(25)) == 25
    assert pages(3) == pages(25) and pages(1) == pages(25)


def test_several_identifiers_count_each(db: Connection) -> None:
    texts = {"both": "17.1.0 and 17.2.0", "one": "17.2.0 17.2.0", "none": "17.3.0 PostgreSQL"}
    upsert(db, [{"external_id": name, "content": text, "embedding": vector(NEAR)} for name, text in texts.items()])
    rows = search(db, "PostgreSQL 17.1.0 or 17.2.0", {"strategy": "auto"})
    assert [row[0] for row in rows] == ["both", "one", "none"]
    assert rows[0][2] > 3


def test_the_reason(db: Connection) -> None:
    load(db, "17.2", "17.1")
    assert '"17.2"' in reason(db, "PostgreSQL 17.2")
    assert reason(db, "PostgreSQL 99.5") == 'No chunk has "99.5".'
    assert search(db, "PostgreSQL 99.5", {"strategy": "auto"}) == search(db, "PostgreSQL 99.5", {})
    assert "vectors alone" in reason(db, "architectural philosophy")
    assert "vectors alone" not in reason(db, "new table")
    only = "select braid.search_json(query_embedding => %s, options => %s) #>> '{stats,strategy_reason}'"
    assert "semantic" in one(db, only, vector(ASKED), Jsonb({"strategy": "auto"}))
    plain = one(db, "select braid.search_json('PostgreSQL 17.2', %s)", vector(ASKED))
    assert "strategy_reason" not in plain["stats"]


def test_pages_and_the_callers_boosts_go_on(db: Connection) -> None:
    load(db, "17.2", "17.1")
    options = {"strategy": "auto", "cursor": ""}
    pages = []
    while options["cursor"] is not None:
        rows = db.execute(
            "select external_id, cursor from braid.hybrid_search('PostgreSQL 17.2', %s, options => %s)",
            (vector(ASKED), Jsonb(options)),
        ).fetchall()
        pages += [row[0] for row in rows]
        options["cursor"] = rows[-1][1] if rows else None  # type: ignore[assignment]
    assert pages[0] == "named" and len(pages) == len(set(pages)) == 31
    boosted = {"strategy": "auto", "boosts": [{"importance": {}}]}
    assert search(db, "PostgreSQL 17.2", boosted)[0][0] == "named"


@pytest.mark.parametrize("given", ["vector", "", "AUTO", 1, True, ["auto"]])
def test_another_strategy_is_refused(db: Connection, given: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="option strategy is") as caught:
        search(db, "fig", {"strategy": given})
    assert "hybrid or auto" in (caught.value.diag.message_hint or "")
