"""recall and timelines refuse, warn and rank as searches do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.full_text.test_operators import COMMANDS, OF_COMMANDS
from core.ranking.test_min_relevance import filled as compared
from core.ranking.test_versions import RANKINGS, SEARCHES, assert_tried_as_applied, call, make_collection
from core.search.test_bad_input import OTHER_NAMES, assert_array_is_no_query, refused
from core.search.test_empty_collection import DEFAULT, warnings
from core.search.test_query_limits import assert_a_megabyte_at_most, least_seconds
from core.search.test_string_settings import assert_the_same, sessions
from psycopg.types.json import Jsonb

import pgbraid
from support.calls import one, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
__all__ = ["compared", "sessions"]


@pytest.fixture(scope="module")
def filled(shared_db: Connection) -> Connection:
    make_collection(shared_db, "tried")
    shared_db.execute("select braid.create_collection('commands', dimensions => 2, embedding_model => 'test')")
    commands = [
        {"external_id": name, "content": text, "embedding": [1, 0], "occurred_at": "2026-01-05"}
        for name, text in COMMANDS.items()
    ]
    upsert(shared_db, commands, "commands")
    return shared_db


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_the_option_has_the_scores_of_the_ranking_once_it_is_applied(filled: Connection, ranking: Any) -> None:
    assert_tried_as_applied(filled, "tried", ranking, "recall_json")


def test_a_timeline_without_a_topic_checks_the_option(filled: Connection) -> None:
    timeline = "select count(*) from braid.conversation_timeline(collection => %s, options => %s)"
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='ranking has the unknown key "bogus"'):
        filled.execute(timeline, ("tried", Jsonb({"ranking": {"bogus": 1}})))
    assert one(filled, timeline, "tried", Jsonb({"ranking": {"k1": 1}})) == 0


def test_the_greatest_weight_can_be_recalled_with(filled: Connection) -> None:
    """A recall accepts the greatest weight, although auto doubles full text's weight for a query that quotes."""
    quoting = {**SEARCHES[0], "query_text": '"amber" cedar', "collection": "tried"}
    options = {"ranking": {"full_text_weight": 1e9}}
    assert call(filled, "recall_json", {**quoting, "options": options})["results"]


@pytest.mark.parametrize(("query", "best", "read"), OF_COMMANDS)
def test_an_option_of_a_command_is_no_exclusion(filled: Connection, query: str, best: str, read: str) -> None:
    where = "collection => 'commands'"
    for search in (
        f"recall(%s, '[1,0]', '2026-01', {where})",
        f"recall(%s, timeframe => '2026-01', strategy => 'full_text', {where})",
    ):
        assert one(filled, f"select r.external_id from braid.{search} r limit 1", query) == best, search
    answer = one(filled, f"select braid.recall_json(%s, '[1,0]', {where})", query)
    assert answer["results"][0]["external_id"] == best
    (warning,) = (told["message"] for told in answer["warnings"] if told["code"] == "plain_signs")
    assert f" in {read}." in warning


def test_an_unknown_key_of_a_filter_is_told(filled: Connection) -> None:
    search = "select braid.recall_json('amber', filters => %s, collection => 'tried')"
    answer = one(filled, search, Jsonb({"$or": [{"speeker": "Ana"}, {"speaker": "Ana"}]}))
    assert answer["results"] and "unknown_filter_key" in {warning["code"] for warning in answer["warnings"]}


@pytest.mark.parametrize(
    "call",
    [
        "recall(%s)",
        "recall_json(%s)",
        "recall(%s, ('[' || repeat('1,', 383) || '1]')::vector, strategy => 'semantic')",
        "logged_recall(%s)",
        "conversation_timeline(%s)",
    ],
)
def test_an_array_of_texts_is_no_query(filled: Connection, call: str) -> None:
    assert_array_is_no_query(filled, call)


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_what_others_call_a_strategy_is_refused_with_its_name_here(filled: Connection, name: str) -> None:
    for other in OTHER_NAMES[name]:
        said = f'"{other}" elsewhere is {name} here.'
        for function in ("recall", "recall_json", "logged_recall"):
            refusal = refused(filled, "22023", function, {"query_text": "a", "strategy": other})
            assert said in (refusal.diag.message_hint or "")
        assert said in (refused(filled, "22023", "conversation_timeline", {"strategy": other}).diag.message_hint or "")


def test_a_collection_that_is_empty_is_told(db: Connection, dsn: str) -> None:
    for collection in ("notes", "docs"):
        db.execute("select braid.create_collection(%s, dimensions => 2, embedding_model => 'test')", (collection,))
        upsert(db, [{"external_id": "a", "content": "amber", "embedding": [1, 0]}], collection)
    for search in ("recall_json('amber')", "logged_recall('amber')"):
        assert warnings(db, search) == [DEFAULT], search
    with pgbraid.connect(dsn) as client:
        found = client.recall("amber", strategy="full_text")
        assert [w["code"] for w in found.warnings].count("empty_collection") == 1


@pytest.fixture(scope="module")
def leeds(shared_db: Connection) -> Iterator[Connection]:
    upsert(
        shared_db,
        [{"external_id": "a", "content": "The committee met in Leeds last week", "occurred_at": "2026-01-01"}],
    )
    yield shared_db
    shared_db.execute("select braid.delete_document('a')")


@pytest.mark.parametrize(("function", "more"), [("recall", {"timeframe": "auto"}), ("extract_timeframe", {})])
def test_a_query_text_has_at_most_a_megabyte(leeds: Connection, function: str, more: dict[str, Any]) -> None:
    assert_a_megabyte_at_most(leeds, function, more)


def test_the_strategy_auto_reads_as_much(leeds: Connection) -> None:
    arguments = {"timeframe": "auto", "strategy": "auto"}
    assert least_seconds(leeds, "recall", query_text="a/" * 400_000, **arguments) < 1.5


@pytest.mark.parametrize("words", ["a ", ")a(", "2 ", "1-", "in may to ", "3/4/2025 ", '"'])
def test_reading_timeframes_takes_no_more_for_each_word_of_a_long_text(leeds: Connection, words: str) -> None:
    def taken(length: int) -> float:
        text = (words * length)[:length]
        return least_seconds(leeds, "extract_timeframe", query_text=text)

    # Quadratic work would take sixteen times as long; a tick of the clock is a hundredth of a second.
    assert taken(16_000) < 8 * max(taken(4_000), 0.04)


def test_a_timeline_has_no_turn_about_something_else(compared: Connection) -> None:
    def told(**arguments: Any) -> set[str]:
        named = "".join(f", {name} => %({name})s" for name in arguments)
        rows = compared.execute(
            "select external_id from braid.conversation_timeline('seat', %(vector)s::vector, collection => 'small'"
            f"{named}) where is_match",
            {"vector": vector([1, 0, 0]), **arguments},
        )
        return {row[0] for row in rows.fetchall()}

    assert told() == {"near", "words", "both"}
    assert len(told(options=Jsonb({"min_relevance": None}))) == 5
    assert len(told(min_score=-100)) == 5


OF_TIMES = [
    """select braid.parse_timeframe(t, 'UTC', '2026-02-01')
       from unnest(array['last 3 days', 'March 5th', 'Q4 2024', '2025-W10', '2025-01-01/P1M', 'since May 2025',
                         '[2025-01-01,2025-02-01)', '{"[2025-01-01,2025-02-01)"}', '["2025-01"]',
                         'between 2024 and 2025', 'two weeks ago']) t""",
    "select braid.extract_timeframe('prices (last week), \"per seat\"', 'UTC', '2026-02-01')",
    "select external_id from braid.recall('prices in v17.2.1 since 2024', timeframe => 'auto', strategy => 'auto')",
    "select external_id, content from braid.conversation_timeline('price', timeframe => '2025')",
]


def test_standard_conforming_strings_change_nothing(sessions: tuple[Connection, Connection]) -> None:
    assert_the_same(sessions, OF_TIMES)
