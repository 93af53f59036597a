"""recall is hybrid_search in a timeframe, with a strategy."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support import HashEmbedder
from support.calls import full_text, hybrid, named, semantic, set_tenant, upsert, vector

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]
Row = tuple[str, int, float]

NOW = datetime(2025, 3, 12, 14, 30, 45, tzinfo=timezone.utc)
WORDS = ["apple", "pear", "plum", "fig", "quince", "peach", "medlar", "cherry"]
LAST_WEEK = {"occurred_at": {"$gte": "2025-03-03T00:00:00Z", "$lt": "2025-03-10T00:00:00Z"}}
EMBED = HashEmbedder().embed_query


def documents() -> list[dict[str, Any]]:
    """Return one document for every 3 hours of the last 6 weeks; some have no time, some no embedding."""
    chance = random.Random(5)
    made = []
    for number in range(336):
        content = " ".join(chance.choices(WORDS, weights=range(1, 9), k=chance.randint(2, 9)))
        made.append(
            {
                "external_id": f"d{number:03}",
                "content": content,
                "speaker": chance.choice(["Ana", "Ben"]),
                "occurred_at": None if number % 40 == 7 else (NOW - timedelta(hours=3 * number)).isoformat(),
                "embedding": None if number % 30 == 3 else vector(EMBED(content)),
            }
        )
    return made


@pytest.fixture
def talks(db: Connection) -> Connection:
    upsert(db, documents())
    return db


def recall(db: Connection, **arguments: Any) -> list[Row]:
    arguments = {"reference_time": NOW, "time_zone": "UTC", **arguments}
    return db.execute(
        f"select external_id, chunk_index, score from braid.recall({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()


def recall_json(db: Connection, **arguments: Any) -> dict[str, Any]:
    arguments = {"reference_time": NOW, "time_zone": "UTC", **arguments}
    ((answer,),) = db.execute(
        f"select braid.recall_json({named(arguments)})",
        {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()},
    ).fetchall()
    return dict(answer)


@pytest.mark.parametrize("timeframe", ["last week", "yesterday; before 2025-02-05", "since 2025-03-10", None])
@pytest.mark.parametrize("filters", [None, {"speaker": "Ana"}])
def test_the_filter_of_a_timeframe(talks: Connection, timeframe: str | None, filters: dict[str, Any] | None) -> None:
    """With a timeframe's filter, functions that know no timeframe find what recall finds, and what a model places in
    the period."""
    arguments: dict[str, Any] = {"timeframe": timeframe, "time_zone": "UTC", "reference_time": NOW}
    periods = [(None, None)]
    if timeframe is not None:
        call = f"select starts_at, ends_at from braid.parse_timeframe({named(arguments)})"
        periods = talks.execute(call, arguments).fetchall()
    expected = {
        made["external_id"]
        for made in documents()
        if filters is None or made["speaker"] == "Ana"
        if timeframe is None or any(is_within(made["occurred_at"], *period) for period in periods)
    }
    arguments["filters"] = None if filters is None else Jsonb(filters)
    ((found,),) = talks.execute(f"select braid.timeframe_filter({named(arguments)})", arguments).fetchall()
    facets = "select value #>> '{}' from braid.facets('{external_id}', filters => %s, value_count => 1000)"
    assert {row[0] for row in talks.execute(facets, (found and Jsonb(found),))} == expected != set()
    given = {"query_text": "pear", "match_count": 400}
    recalled = recall(talks, timeframe=timeframe, **given, **({} if filters is None else {"filters": filters}))
    explained = talks.execute(
        "select braid.explain_search('pear', match_count => 400, filters => %s) -> 'results'", (found and Jsonb(found),)
    ).fetchone()
    assert explained is not None
    assert [(row["external_id"], row["chunk_index"], row["score"]) for row in explained[0]] == recalled != []


def is_within(time: str | None, start: datetime | None, end: datetime | None) -> bool:
    when = None if time is None else datetime.fromisoformat(time)
    return when is not None and (start is None or start <= when) and (end is None or when < end)


def test_a_filter_of_what_is_no_timeframe(db: Connection) -> None:
    for timeframe, zone, said in (("auto", "UTC", "auto"), ("someday", "UTC", "someday"), ("2025", "Mars", "Mars")):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=said) as refused:
            db.execute("select braid.timeframe_filter(%s, time_zone => %s)", (timeframe, zone))
        assert refused.value.diag.message_hint


def test_it_is_a_search_under_a_filter_on_the_time(talks: Connection) -> None:
    embedding = vector(EMBED("pear fig"))
    query = {"query_text": "pear fig", "query_embedding": embedding, "match_count": 400}
    for filters in (None, {"speaker": "Ana"}):
        both = {"$and": [LAST_WEEK, filters or {}]} if filters else LAST_WEEK
        found = recall(talks, timeframe="last week", filters=filters, **query)
        assert found
        assert found == hybrid(talks, filters=both, **query)
        assert recall(talks, filters=filters, **query) == hybrid(
            talks, **query, **({"filters": filters} if filters else {})
        )
    assert recall(talks, query_text="pear", timeframe="last week", strategy="full_text", match_count=400) == full_text(
        talks, "pear", filters=LAST_WEEK, match_count=400
    )
    assert recall(
        talks, query_text="pear", query_embedding=embedding, timeframe="last week", strategy="semantic", match_count=400
    ) == semantic(talks, EMBED("pear fig"), filters=LAST_WEEK, match_count=400)


def test_a_range_has_its_start_and_not_its_end(db: Connection) -> None:
    times = {
        "before": "2025-03-02T23:59:59.999999Z",
        "start": "2025-03-03T00:00:00Z",
        "last": "2025-03-09T23:59:59.999999Z",
        "end": "2025-03-10T00:00:00Z",
    }
    upsert(db, [{"external_id": name, "content": "pear", "occurred_at": time} for name, time in times.items()])
    upsert(db, [{"external_id": "undated", "content": "pear"}])

    def found(timeframe: str | None) -> set[str]:
        return {row[0] for row in recall(db, query_text="pear", timeframe=timeframe)}

    assert found("last week") == {"start", "last"}
    assert found("until last week") == {"before", "start", "last"}
    assert found("after last week") == {"end"}
    assert found("before last week; after last week") == {"before", "end"}
    assert found("(,)") == set(times)
    assert found("(2025-03-03,2025-03-10]") == {"last", "end"}
    assert found(None) == {*times, "undated"}


def test_what_was_just_written_is_in_the_last_hour(db: Connection) -> None:
    with db.transaction():
        db.execute("select braid.upsert_document('now', 'pear', occurred_at => now())")
        for call in ("'pear', timeframe => 'last hour'", "'pear last hour', timeframe => 'auto'"):
            assert db.execute(f"select external_id from braid.recall({call})").fetchall() == [("now",)]


def test_auto_takes_the_timeframe_out_of_the_query(talks: Connection) -> None:
    query = "which pear did we eat last week with figs"
    answer = recall_json(talks, query_text=query, timeframe="auto", match_count=400)
    same = recall(talks, query_text="which pear did we eat with figs", timeframe="last week", match_count=400)
    assert [(row["external_id"], row["chunk_index"], row["score"]) for row in answer["results"]] == same
    said = answer["stats"]["recall"]
    assert said["searched_text"] == "which pear did we eat with figs"
    assert said["timeframe_phrases"] == ["last week"]
    assert said["timeframe"] == [{"starts_at": "2025-03-03T00:00:00+00:00", "ends_at": "2025-03-10T00:00:00+00:00"}]
    assert said["time_zone"] == "UTC"
    assert datetime.fromisoformat(said["reference_time"]) == NOW
    nothing = recall_json(talks, query_text="which pear", timeframe="auto", match_count=400)
    assert nothing["stats"]["recall"]["timeframe"] is None
    assert len(nothing["results"]) == len(full_text(talks, "which pear"))


def test_the_time_zone_moves_the_range(db: Connection) -> None:
    upsert(db, [{"external_id": "late", "content": "pear", "occurred_at": "2025-03-10T23:30:00Z"}])
    assert recall(db, query_text="pear", timeframe="yesterday") == []
    assert recall(db, query_text="pear", timeframe="yesterday", time_zone="Asia/Tokyo")


def test_prefilter_is_full_text_reranked_by_similarity(talks: Connection) -> None:
    wanted = EMBED("medlar cherry plum")
    query = {"query_text": "fig pear", "query_embedding": vector(wanted)}
    similarity = {row[0]: row[2] for row in semantic(talks, wanted)}
    for count, timeframe, filters in ((20, None, {}), (7, None, {}), (None, None, {}), (None, "last week", LAST_WEEK)):
        candidates = [row[0] for row in full_text(talks, "fig pear", filters=filters)][: count or 100]
        expected = sorted(
            ((name, similarity[name]) for name in candidates if name in similarity), key=lambda row: (-row[1], row[0])
        )
        found = recall(talks, strategy="prefilter", candidate_count=count, timeframe=timeframe, match_count=5, **query)
        assert [(row[0], row[2]) for row in found] == expected[:5]
        assert len(expected) > 5
    answer = recall_json(talks, strategy="prefilter", match_count=3, min_score=0.2, **query)
    assert answer["stats"]["semantic_mode"] == "prefiltered"
    assert answer["stats"]["full_text_candidates"] == 100
    for row in answer["results"]:
        assert row["score"] == row["semantic_score"] == similarity[row["external_id"]] >= 0.2
        assert row["full_text_rank"] and row["semantic_rank"] and row["full_text_score"] > 0
    # The strategy returns more rows than the usual candidates, and any search can use it as an option.
    assert len(recall(talks, strategy="prefilter", match_count=150, **query)) > 100
    assert hybrid(talks, options={"prefilter": True}, match_count=5, **query) == recall(
        talks, strategy="prefilter", match_count=5, **query
    )


def test_auto_is_the_option_of_a_search(talks: Connection) -> None:
    for query in ("fig", "fig 17.2.1", "fig plum"):
        given = {"query_text": query, "query_embedding": vector(EMBED("fig")), "match_count": 20}
        answer = recall_json(talks, strategy="auto", **given)
        expected = hybrid(talks, options={"strategy": "auto"}, **given)
        assert [(row["external_id"], row["chunk_index"], row["score"]) for row in answer["results"]] == expected
        assert answer["stats"]["recall"]["strategy"] == "hybrid"
        assert ("17.2.1" in answer["stats"]["recall"]["reason"]) == ("17.2.1" in query)
        assert "strategy_reason" not in answer["stats"]


def test_what_the_query_names_comes_first(talks: Connection) -> None:
    found = recall(talks, query_text="d100", query_embedding=vector(EMBED("apple")))
    assert found[0][0] == "d100"
    within = recall(talks, query_text="d000", query_embedding=vector(EMBED("apple")), timeframe="last week")
    assert within
    assert "d000" not in [row[0] for row in within]


def test_every_strategy_does_with_what_it_is_given(talks: Connection) -> None:
    for strategy in ("hybrid", "full_text", "semantic", "prefilter", "auto"):
        text_only = recall_json(talks, query_text="fig", strategy=strategy, match_count=400)
        assert text_only["stats"]["recall"]["strategy"] == "full_text"
        assert [row["external_id"] for row in text_only["results"]] == [row[0] for row in full_text(talks, "fig")]
        warned = [warning["code"] for warning in text_only["warnings"]]
        assert warned == ([] if strategy == "full_text" else ["no_query_embedding"])

        vector_only = recall_json(talks, query_embedding=vector(EMBED("fig")), strategy=strategy, match_count=400)
        assert vector_only["stats"]["recall"]["strategy"] == "semantic"
        nearest = [row[0] for row in semantic(talks, EMBED("fig"))]
        assert [row["external_id"] for row in vector_only["results"]] == nearest
        warned = [warning["code"] for warning in vector_only["warnings"] if warning["code"] != "chunks_not_embedded"]
        assert warned == ([] if strategy == "semantic" else ["no_query_text"])


def test_a_timeframe_where_nothing_has_a_date(db: Connection) -> None:
    def warned(**arguments: Any) -> list[str]:
        return [warning["code"] for warning in recall_json(db, query_text="fig", **arguments)["warnings"]]

    def warned_of(filters: dict[str, Any]) -> list[str]:
        ((answer,),) = db.execute("select braid.search_json('fig', filters => %s)", (Jsonb(filters),)).fetchall()
        return [warning["code"] for warning in answer["warnings"]]

    upsert(db, [{"external_id": "a", "content": "fig"}])
    assert "no_dates" in warned(timeframe="last week")
    assert "no_dates" not in warned()
    assert "no_dates" in warned_of({"occurred_at": {"$gte": "2025-01-01"}})
    assert "no_dates" not in warned_of({"speaker": "Ana"})
    assert "no_dates" not in warned_of({"occurred_at": None})
    # Another tenant's dates do not count.
    db.execute("select braid.create_tenant('other')")
    set_tenant(db, "other")
    upsert(db, [{"external_id": "a", "content": "fig", "occurred_at": "2020-01-01"}])
    assert "no_dates" not in warned(timeframe="last week")
    set_tenant(db, "")
    assert "no_dates" in warned(timeframe="last week")
    upsert(db, [{"external_id": "b", "content": "pear", "occurred_at": "2020-01-01"}])
    assert "no_dates" not in warned(timeframe="last week")


def test_options_and_thresholds_are_those_of_a_search(talks: Connection) -> None:
    answer = recall_json(
        talks, query_text="fig -pear", timeframe="last week", options={"snippet": True, "explain": True}, match="all"
    )
    assert answer["results"]
    assert all("<mark>" in row["snippet"] and "pear" not in row["content"] for row in answer["results"])
    assert answer["stats"]["term_statistics"]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"strategy": "fast"}, "strategy is 'fast'"),
    ({"strategy": None}, "strategy is null"),
    ({"timeframe": "soonish"}, "timeframe 'soonish' is not understood"),
    ({"timeframe": ""}, "timeframe '' is not understood"),
    ({"timeframe": "[2025-02-01,2025-01-01)"}, "timeframe '[2025-02-01,2025-01-01)' ends before it begins"),
    ({"time_zone": "Mars/Phobos"}, "time_zone is 'Mars/Phobos'"),
    ({"reference_time": "infinity"}, "reference_time is infinity"),
    ({"match_count": 0}, "match_count is 0"),
    ({"match_count": 10001}, "match_count is 10001"),
    ({"match_count": None}, "match_count is null"),
    ({"query_text": "last week", "timeframe": "auto"}, "query_text 'last week' has a timeframe, but no topic"),
    ({"query_text": None}, "query_text and query_embedding are both empty"),
    ({"filters": "a string", "timeframe": "last week"}, "filters must be a JSON object"),
    (
        {"options": "a string", "strategy": "prefilter", "query_embedding": vector([1] * 384)},
        "options is a JSON string",
    ),
    ({"options": {"colour": 1}}, "options has an unknown key"),
    ({"options": {"prefilter": 1}}, "option prefilter is 1"),
    ({"candidate_count": 0, "strategy": "prefilter"}, "candidate_count is 0"),
]


def test_bad_input_is_refused(db: Connection) -> None:
    for given, message in REFUSED:
        arguments = {"query_text": "fig", "reference_time": NOW, **given}
        with pytest.raises(psycopg.Error) as caught:
            db.execute(
                f"select * from braid.recall({named(arguments)})",
                {name: Jsonb(value) if name in ("filters", "options") else value for name, value in arguments.items()},
            )
        assert caught.value.sqlstate == "22023"
        assert (caught.value.diag.message_primary or "").startswith(message)
        assert caught.value.diag.message_hint


def test_full_text_demands_the_code_of_a_short_query(db: Connection) -> None:
    upsert(
        db,
        [
            {"external_id": "16", "content": "We moved to PostgreSQL 16"},
            {"external_id": "17.1", "content": "PostgreSQL 17.1 is out"},
            {"external_id": "17.2", "content": "PostgreSQL 17.2 is out"},
            {"external_id": "4012", "content": "error E-4012 again"},
            {"external_id": "4099", "content": "error E-4099 again"},
        ],
    )

    def found(query: str, **arguments: Any) -> set[str]:
        answer = recall_json(db, query_text=query, strategy="full_text", **arguments)
        return {row["external_id"] for row in answer["results"]}

    assert found("PostgreSQL 17.2") == {"17.2"}
    assert found("error E-4012") == {"4012"}
    assert found("PostgreSQL 17") == {"17.1", "17.2"}
    assert found("PostgreSQL 18.4") == set()
    assert found("PostgreSQL error") == {"16", "17.1", "17.2", "4012", "4099"}
    assert found("PostgreSQL 17.2", options={"operators": False}) == {"16", "17.1", "17.2"}
    told = recall_json(db, query_text="PostgreSQL 17.2", strategy="full_text")["stats"]["recall"]
    assert told["searched_text"] == "PostgreSQL +17.2"
    assert told["reason"] == (
        "The call asked for this strategy. A short query demands its codes, so every row has them."
    )
