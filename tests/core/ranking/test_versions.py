"""A collection's ranking has versions, and the option `ranking` tries one in a search."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import named, one, upsert, vector

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "flint", "garnet", "hazel", "indigo", "jasper"]
RANKINGS: list[dict[str, Any]] = [
    {"k1": 0.4, "b": 0.9},
    {"k1": 0, "b": None, "title_weight": 3},
    {"title_weight": 0, "bm25_variant": "okapi"},
    {"fusion": "rrf", "rrf_k": 7},
    {"fusion": "rrf", "full_text_weight": 0.3},
    {"fusion": "dbsf", "semantic_weight": 0},
    {"fusion": "max", "normalisation": "minmax", "k1": 2},
    {"full_text_weight": 0.1, "normalisation": "theoretical"},
    {"smoothing": 1, "neighbour_weight": 0.4},
    {"smoothing": 0, "statistics_scope": "collection"},
]
SEARCHES: list[dict[str, Any]] = [
    {"query_text": "amber cedar", "query_embedding": vector([0.6, 0.8, 0.0])},
    {"query_text": "amber cedar flint", "match_count": 3},
    {"query_embedding": vector([0.6, 0.8, 0.0]), "match_count": 7},
    {"query_text": "delta", "query_embedding": vector([0.0, 1.0, 0.0]), "filters": {"speaker": "Ana"}},
]


def make_collection(db: Connection, name: str) -> None:
    db.execute("select braid.create_collection(%s, dimensions => 3)", (name,))
    documents = [
        {
            "external_id": f"d{n:02}",
            "title": WORDS[n % 10],
            "speaker": "Ana" if n % 2 else "Ben",
            "chunks": [
                {
                    "content": " ".join(WORDS[(n * k + p) % 10] for k in range(1, 4 + n % 5)),
                    "embedding": [math.cos(n / 20), math.sin(n / 20), 0.0],
                }
                for p in range(1 + n % 3)
            ],
        }
        for n in range(1, 40)
    ]
    upsert(db, documents, name)


@pytest.fixture(scope="module")
def db(shared_db: Connection) -> Connection:
    """Return a shared database: the ranking belongs to a collection, so each test that changes one creates its own
    collection."""
    return shared_db


names = (f"c{n}" for n in itertools.count())


@pytest.fixture
def name(db: Connection) -> str:
    name = next(names)
    db.execute("select braid.create_collection(%s, dimensions => 3)", (name,))
    return name


def search(db: Connection, name: str, arguments: dict[str, Any], options: Any = None) -> Any:
    return call(db, "search_json", {**arguments, "collection": name, "options": options})["results"]


def call(db: Connection, function: str, arguments: dict[str, Any]) -> Any:
    values = {key: Jsonb(v) if isinstance(v, dict) else v for key, v in arguments.items() if v is not None}
    row = db.execute(f"select braid.{function}({named(values)})", values).fetchone()
    assert row is not None
    return row[0]


def apply(db: Connection, name: str, ranking: Any, reason: str | None = "better", **more: Any) -> int:
    version: int = one(db, f"select braid.set_ranking(%s, %s, %s{''.join(f', {k} => %s' for k in more)})",
                       name, Jsonb(ranking), reason, *map(Jsonb, more.values()))  # fmt: skip
    return version


def restore(db: Connection, name: str, version: int | None, reason: str | None = None) -> int:
    new: int = one(db, "select braid.restore_ranking(%s, %s, %s)", name, version, reason)
    return new


def versions(db: Connection, name: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = one(
        db, "select coalesce(jsonb_agg(to_jsonb(r)), '[]') from braid.list_rankings(%s) r", name
    )
    return listed


def settings(db: Connection, name: str) -> dict[str, Any]:
    found: dict[str, Any] = one(db, "select to_jsonb(c) from braid.collections c where c.name = %s", name)
    return found


@pytest.fixture(scope="module")
def tried(db: Connection) -> str:
    make_collection(db, "tried")
    # With a complete index, a change of k1 meets impacts that were written with another k1.
    while one(db, "select braid.maintain() -> 'is_complete'") is False:
        pass
    return "tried"


@pytest.mark.parametrize("ranking", RANKINGS, ids=str)
def test_the_option_has_the_scores_of_the_ranking_once_it_is_applied(db: Connection, tried: str, ranking: Any) -> None:
    assert_tried_as_applied(db, tried, ranking)


def assert_tried_as_applied(db: Connection, tried: str, ranking: Any, function: str = "search_json") -> None:
    """Check for each kind of search that a tried ranking gives the applied ranking's scores to the last bit."""
    before = settings(db, tried)
    options = {"ranking": ranking}
    plain = [answers(db, search, tried, None, function) for search in SEARCHES]
    found = [answers(db, search, tried, options, function) for search in SEARCHES]
    explained = [call(db, "explain_search", {**s, "collection": tried, "options": options}) for s in SEARCHES]

    version = apply(db, tried, ranking)
    applied = [answers(db, search, tried, None, function) for search in SEARCHES]
    restore(db, tried, version - 1)

    assert found == applied
    assert found != plain
    for explanation, (rows, *_) in zip(explained, found, strict=True):
        assert [row["score"] for row in explanation["results"]] == [row["score"] for row in rows]
        for row in explanation["results"]:
            assert eval(row["arithmetic"], {"max": max}) == row["score"], row
    assert settings(db, tried) == before
    assert [answers(db, search, tried, None, function) for search in SEARCHES] == plain


def answers(
    db: Connection, arguments: dict[str, Any], name: str, options: dict[str, Any] | None, function: str
) -> list[Any]:
    """Return a search's rows, and facet counts of the chunks that reach a BM25 score."""
    arguments = {**arguments, "collection": name}
    floor = {**(options or {}), "min_scores": {"full_text": 0.9}}
    facets = db.execute(
        "select * from braid.facets('{speaker}', %s, collection => %s, options => %s) order by 1, 2",
        (arguments.get("query_text"), name, Jsonb(floor)),
    ).fetchall()
    return [call(db, function, {**arguments, "options": options})["results"], facets]


def test_what_a_search_asks_for_itself_counts_before_the_option_ranking(db: Connection, tried: str) -> None:
    ranking = {"fusion": "rrf", "rrf_k": 3, "full_text_weight": 0.2}
    asked = {**SEARCHES[0], "fusion": "convex", "full_text_weight": 0.9, "semantic_weight": 0.1}
    plain = search(db, tried, asked)
    assert search(db, tried, asked, {"ranking": ranking}) == plain
    assert search(db, tried, SEARCHES[0], {"ranking": None}) == search(db, tried, SEARCHES[0])


def test_pages_belong_to_one_ranking(db: Connection, tried: str) -> None:
    text = {**SEARCHES[1], "match_count": 2}
    first = search(db, tried, text, {"cursor": "", "ranking": {"k1": 0.3}})
    second = search(db, tried, text, {"cursor": first[-1]["cursor"], "ranking": {"k1": 0.3}})
    all_rows = search(db, tried, {**text, "match_count": 4}, {"cursor": "", "ranking": {"k1": 0.3}})
    assert [r["chunk_id"] for r in first + second] == [r["chunk_id"] for r in all_rows]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="cursor"):
        search(db, tried, text, {"cursor": first[-1]["cursor"], "ranking": {"k1": 0.4}})


@pytest.mark.parametrize("option", [None, {"title_weight": 1}])
@pytest.mark.parametrize("legs", [1, 0])
def test_a_page_after_the_ranking_has_changed_is_refused(db: Connection, tried: str, option: Any, legs: int) -> None:
    """A page is refused after the ranking has changed, because rows would be missing or appear twice. The collection
    supplies what the option leaves out."""
    asked, options = {**SEARCHES[legs], "match_count": 2}, {"ranking": option}
    first = search(db, tried, asked, {**options, "cursor": ""})
    follow = {**options, "cursor": first[-1]["cursor"]}
    second = search(db, tried, asked, follow)
    version = apply(db, tried, {"k1": 0, "b": 0})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="option cursor belongs to another query") as caught:
        search(db, tried, asked, follow)
    assert "ranking of the collection has changed" in (caught.value.diag.message_hint or "")
    restore(db, tried, version - 1)
    assert search(db, tried, asked, follow) == second


WRONG: list[tuple[Any, str]] = [
    ({}, "ranking is empty"),
    ({"k2": 1}, 'ranking has the unknown key "k2"'),
    ({"K1": 1}, 'ranking has the unknown key "K1"'),
    ({"candidate_count": 100}, 'ranking has the unknown key "candidate_count"'),
    ({"boosts": []}, 'ranking has the unknown key "boosts"'),
    ({"preset": "prosa"}, 'ranking: preset is "prosa"'),
    ({"preset": None}, "ranking: preset is null"),
    ({"preset": "rrf", "fusion": "max"}, 'ranking: preset is "rrf" and fusion is "max"'),
    ({"name": "other"}, 'ranking has the unknown key "name"'),
    ({"id": 1, "k1": 1}, 'ranking has the unknown key "id"'),
    ({"vector_space_id": 1}, 'ranking has the unknown key "vector_space_id"'),
    ({"k1": None}, "ranking: k1 is null"),
    ({"fusion": None}, "ranking: fusion is null"),
    ({"k1": -0.1}, "ranking: k1 is -0.1"),
    ({"k1": "NaN"}, 'ranking: k1 is "NaN"'),
    ({"k1": "1.2"}, 'ranking: k1 is "1.2"'),
    ({"k1": True}, "ranking: k1 is true"),
    ({"k1": [1.2]}, "ranking: k1 is [1.2]"),
    ({"k1": 1e-300}, "ranking: k1 is 0.000"),
    ({"title_weight": 1e300}, "ranking: title_weight is 1000"),
    ({"b": 1e-300}, "ranking: b is 0.000"),
    ({"b": 1.01}, "ranking: b is 1.01"),
    ({"title_weight": -1}, "ranking: title_weight is -1"),
    ({"full_text_weight": 1e-10}, "ranking: full_text_weight is "),
    ({"semantic_weight": 2e9}, "ranking: semantic_weight is 2"),
    ({"sparse_weight": -1}, "ranking: sparse_weight is -1"),
    ({"full_text_weight": 0, "semantic_weight": 0}, "ranking: full_text_weight and semantic_weight are both 0"),
    ({"rrf_k": -1}, "ranking: rrf_k is -1"),
    ({"smoothing": 1.5}, "ranking: smoothing is 1.5"),
    ({"neighbour_weight": -0.5}, "ranking: neighbour_weight is -0.5"),
    ({"fusion": "RRF"}, 'ranking: fusion is "RRF"'),
    ({"fusion": 1}, "ranking: fusion is 1"),
    ({"normalisation": {"bm25": "minmax"}}, "ranking: normalisation "),
    ({"bm25_variant": "plus"}, 'ranking: bm25_variant is "plus"'),
    ({"statistics_scope": ""}, 'ranking: statistics_scope is ""'),
]


@pytest.mark.parametrize(("ranking", "message"), WRONG, ids=str)
def test_what_is_no_ranking_is_refused_by_name(db: Connection, tried: str, ranking: Any, message: str) -> None:
    assert_refused(db, tried, ranking, message)


def assert_refused(db: Connection, tried: str, ranking: Any, message: str) -> None:
    before = versions(db, tried)
    for refused in (lambda: apply(db, tried, ranking), lambda: search(db, tried, SEARCHES[0], {"ranking": ranking})):
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            refused()
        assert (caught.value.diag.message_primary or "").startswith(message)
        assert caught.value.diag.message_hint
    assert versions(db, tried) == before


@pytest.mark.parametrize("k1", [0, 1e-9, 1e9])
@pytest.mark.parametrize("b", [0, 1e-9, 1])
@pytest.mark.parametrize("title_weight", [0, 1e-9, 1e9])
def test_the_ends_of_what_settings_may_be_can_be_searched_with(
    db: Connection, tried: str, k1: float, b: float, title_weight: float
) -> None:
    ranking = {"k1": k1, "b": b, "title_weight": title_weight, "bm25_variant": "okapi", "full_text_weight": 1e9}
    found = search(db, tried, SEARCHES[0], {"ranking": {**ranking, "semantic_weight": 1e-9}})
    assert all(math.isfinite(row["score"]) for row in found)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1e-400", "1e100000"])
def test_a_number_beyond_float8_is_refused(db: Connection, tried: str, number: str) -> None:
    ranking = f'{{"title_weight": {number}}}'
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="title_weight"):
        db.execute("select braid.set_ranking(%s, %s::jsonb, 'why')", (tried, ranking))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="title_weight"):
        db.execute("select braid.search_json('amber', collection => %s, options => %s::jsonb)",
                   (tried, f'{{"ranking": {ranking}}}'))  # fmt: skip


def test_a_search_setting_is_refused_with_a_hint(db: Connection, tried: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        apply(db, tried, {"ef_search": 40})
    assert "with each search instead" in (caught.value.diag.message_hint or "")


@pytest.mark.parametrize("value", ["3", "true", '"rrf"', "[]"])
def test_the_option_ranking_is_an_object(db: Connection, tried: str, value: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="option ranking is"):
        db.execute("select braid.search_json('amber', collection => %s, options => %s::jsonb)",
                   (tried, f'{{"ranking": {value}}}'))  # fmt: skip
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"^ranking is a JSON"):
        db.execute("select braid.set_ranking(%s, %s::jsonb, 'why')", (tried, value))


def test_functions_that_do_not_rank_by_settings_refuse_the_option(db: Connection, tried: str) -> None:
    chunk_id = search(db, tried, SEARCHES[0])[0]["chunk_id"]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="option ranking has no meaning for similar_chunks"):
        db.execute("select braid.similar_chunks(%s, options => %s)", (chunk_id, Jsonb({"ranking": {"k1": 1}})))


def test_a_version_tells_who_changed_what_when_and_why(db: Connection, name: str) -> None:
    started = one(db, "select clock_timestamp()::text")
    evaluation = {"gain": 0.02, "interval": [0.01, 0.03]}
    assert versions(db, name) == []

    assert apply(db, name, {"k1": 0.9, "fusion": "rrf"}, "tuned on support", evaluation=evaluation) == 2
    login = one(db, "select session_user")
    newest, found = versions(db, name)

    assert (found["version"], found["login"], found["role"], found["changed_at"], found["reason"]) == (1, *[None] * 4)
    assert (found["changes"], found["is_current"], found["evaluation"]) == ({}, False, None)
    assert newest["changes"] == {
        "fusion": ["convex", "rrf"], "k1": [1.2, 0.9],
        "full_text_weight": [0.6, 1], "semantic_weight": [0.4, 1], "sparse_weight": [0.3, 1],
    }  # fmt: skip
    assert (newest["version"], newest["login"], newest["role"], newest["is_current"]) == (2, login, None, True)
    assert (newest["reason"], newest["restored_version"]) == ("tuned on support", None)
    assert newest["evaluation"] == evaluation
    is_now = "select %s::timestamptz between %s::timestamptz and clock_timestamp()"
    assert one(db, is_now, newest["changed_at"], started)
    now = settings(db, name)
    now.update(now["parts"])
    assert newest["ranking"] == {key: now[key] for key in newest["ranking"]}
    settings_of_parts = "braid_store.parts p, jsonb_each(p.manifest -> 'settings') s"
    of_parts = f"select count(*) from {settings_of_parts} where s.value ? 'ranking_hint'"
    assert len(newest["ranking"]) == 18 + one(db, of_parts)


def test_a_role_that_was_set_is_told(db: Connection, name: str) -> None:
    with db.transaction():
        db.execute("grant braid_writer to current_user")
        role = f"deployer_{name}"
        db.execute(f"create role {role} superuser")
        db.execute(f"set role {role}")
        apply(db, name, {"k1": 3})
        db.execute("reset role")
    db.execute(f"drop role {role}")
    assert versions(db, name)[0]["role"] == role
    assert versions(db, name)[0]["login"] == one(db, "select session_user")


def test_a_ranking_is_restored_as_a_whole_and_that_can_be_undone(db: Connection, name: str) -> None:
    first = settings(db, name)
    apply(db, name, {"fusion": "max", "b": 0.3})
    second = settings(db, name)
    db.execute('select braid.set_ranking(%s, \'{"k1": 7, "smoothing": 0.25}\')', (name,))
    third = settings(db, name)

    assert restore(db, name, 1, "worse on Mondays") == 4
    assert settings(db, name) == first
    assert (versions(db, name)[0]["restored_version"], versions(db, name)[0]["reason"]) == (1, "worse on Mondays")
    assert restore(db, name, 3) == 5
    assert settings(db, name) == third
    assert restore(db, name, 2) == 6
    assert settings(db, name) == second
    assert [v["is_current"] for v in versions(db, name)] == [True, *[False] * 5]


def test_a_preset_is_a_version_without_reason(db: Connection, name: str) -> None:
    db.execute('select braid.set_ranking(%s, \'{"preset": "conversation"}\')', (name,))
    newest, found = versions(db, name)
    assert found["ranking"]["full_text_weight"] == 0.6
    assert (newest["ranking"]["full_text_weight"], newest["reason"]) == (0.7, None)
    assert newest["login"] == one(db, "select session_user")


def test_settings_that_came_by_another_way_are_a_version_of_their_own(db: Connection, name: str) -> None:
    """Settings that were changed in the table, as its owner can, become a version of their own. They are neither
    lost nor attributed to somebody."""
    apply(db, name, {"k1": 2})
    db.execute("update braid_store.collections set k1 = 5, b = 0.1 where name = %s", (name,))
    assert [v["is_current"] for v in versions(db, name)] == [False, False]

    assert apply(db, name, {"title_weight": 2}) == 4
    newest, between, *_ = versions(db, name)
    assert newest["changes"] == {"title_weight": [1, 2]}
    assert between["changes"] == {"k1": [2, 5], "b": [None, 0.1]}
    assert (between["login"], between["changed_at"]) == (None, None)
    restore(db, name, 3)
    assert (settings(db, name)["k1"], settings(db, name)["b"]) == (5, 0.1)


def test_a_call_that_changes_nothing_adds_no_version(db: Connection, name: str) -> None:
    assert apply(db, name, {"k1": 1.2}) == 1
    assert apply(db, name, {"k1": 2}) == 2
    assert apply(db, name, {"k1": 2.0}) == 2
    assert restore(db, name, 2) == 2
    db.execute("select braid.set_ranking(%s, '{\"k1\": 2}')", (name,))
    assert [v["version"] for v in versions(db, name)] == [2, 1]


def test_the_newest_hundred_versions_are_kept(db: Connection, name: str) -> None:
    each = "select braid.set_ranking(%s, jsonb_build_object('k1', n), 'try') from generate_series(2, 130) n"
    db.execute(each, (name,))
    assert [v["version"] for v in versions(db, name)] == list(range(130, 30, -1))
    assert versions(db, name)[-1]["changes"] == {"k1": [30, 31]}
    with pytest.raises(psycopg.errors.UndefinedObject, match=f'collection "{name}" has no version 30 of its ranking'):
        restore(db, name, 30)


def test_versions_that_calls_only_find_are_counted_too(db: Connection, name: str) -> None:
    for n in range(2, 105):
        db.execute("update braid_store.collections set k1 = %s where name = %s", (n, name))
        apply(db, name, {"k1": n})
    assert [v["version"] for v in versions(db, name)] == list(range(103, 3, -1))


def test_versions_of_before_an_upgrade_stay_the_current_ones(db: Connection, name: str) -> None:
    """A version of an earlier release, which lacked a setting, stays the current one."""
    apply(db, name, {"k1": 2})
    db.execute("update braid_store.ranking_versions set ranking = ranking - 'smoothing'")
    assert [v["is_current"] for v in versions(db, name)] == [True, False]
    assert apply(db, name, {"b": 0.5}) == 3
    assert versions(db, name)[0]["changes"] == {"b": [None, 0.5]}


def test_queries_are_not_kept_in_versions(db: Connection, name: str) -> None:
    """Versions keep no queries: queries belong to a tenant, and versions outlive tenants."""
    query = {"query_id": "q1", "query_text": "zebrafish"}
    evaluation = {
        "metrics": {"ndcg@10": {"difference": 0.1, "changed": [query]}},
        "queries": [{**query, "rows": [{"title": "zebrafish"}]}],
        "evaluations": [{"query_count": 1, "queries": [query]}, "told"],
        "query_text": "zebrafish",
    }
    apply(db, name, {"k1": 2}, evaluation=evaluation)
    assert versions(db, name)[0]["evaluation"] == {
        "metrics": {"ndcg@10": {"difference": 0.1}}, "evaluations": [{"query_count": 1}, "told"],
    }  # fmt: skip
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="nested more than 32 levels"):
        apply(db, name, {"k1": 3}, evaluation={"deep": deep})


def test_what_was_compared_with_another_ranking_is_refused(db: Connection, name: str) -> None:
    apply(db, name, {"k1": 2})
    measured = versions(db, name)[0]["ranking"]
    db.execute("select braid.set_ranking(%s, '{\"title_weight\": 3}')", (name,))
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        apply(db, name, {**measured, "b": 0.1}, expected_ranking=measured)
    assert caught.value.diag.message_primary == (f'expected_ranking has title_weight 1, and collection "{name}" has 3')
    assert "changed the ranking meanwhile" in (caught.value.diag.message_hint or "")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=r"expected_ranking has what 1, .* no such setting"):
        apply(db, name, {"b": 0.1}, expected_ranking={"what": 1})
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="expected_ranking is a JSON array"):
        apply(db, name, {"b": 0.1}, expected_ranking=[])
    assert len(versions(db, name)) == 3
    assert apply(db, name, {"b": 0.1}, expected_ranking={"k1": 2.0, "title_weight": 3}) == 4


@pytest.mark.parametrize("setting", ['{"k1": 1e10}', '{"k1": 1e-10}', '{"b": 1e-10}', '{"title_weight": 1e10}'])
def test_no_collection_has_a_ranking_that_could_not_be_restored(db: Connection, name: str, setting: str) -> None:
    for statement in (f"set_ranking('{name}', '{setting}')", f"create_collection('x', ranking => '{setting}')"):
        with pytest.raises(psycopg.errors.InvalidParameterValue, match=setting.split('"')[1]):
            db.execute(f"select braid.{statement}")


@pytest.mark.parametrize("version", [0, -1, 5, 2147483647, None])
def test_a_version_that_is_not_there_is_refused(db: Connection, name: str, version: int | None) -> None:
    apply(db, name, {"k1": 2})
    with pytest.raises(psycopg.errors.UndefinedObject, match="has no version") as caught:
        restore(db, name, version)
    assert caught.value.diag.message_hint == "Choose a version that braid.list_rankings shows: the newest 100 are kept."
    assert len(versions(db, name)) == 2


@pytest.mark.parametrize("reason", ["", " \t\n", "x" * 1001])
def test_a_reason_says_something(db: Connection, name: str, reason: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="reason is"):
        apply(db, name, {"k1": 2}, reason)
    assert versions(db, name) == []


@pytest.mark.parametrize("evaluation", [[], 3, "good", True])
def test_an_evaluation_is_an_object(db: Connection, name: str, evaluation: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="evaluation is a JSON"):
        apply(db, name, {"k1": 2}, evaluation=evaluation)
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="evaluation has 10"):
        apply(db, name, {"k1": 2}, evaluation={"notes": "x" * 100_000})
    apply(db, name, {"k1": 2}, evaluation=None)
    assert versions(db, name)[0]["evaluation"] is None


def test_an_unknown_collection_is_refused(db: Connection) -> None:
    for statement in (
        "set_ranking('none', '{\"k1\": 2}', 'why')", "restore_ranking('none', 1)", "list_rankings('none')",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.UndefinedObject, match='collection "none" does not exist'):
            db.execute(f"select braid.{statement}")


def test_versions_go_with_their_collection(db: Connection, name: str) -> None:
    apply(db, name, {"k1": 2})
    db.execute("select braid.drop_collection(%s)", (name,))
    left = "where not exists (select from braid_store.collections c where c.id = r.collection_id)"
    assert one(db, f"select count(*) from braid_store.ranking_versions r {left}") == 0
    db.execute("select braid.create_collection(%s, dimensions => 3)", (name,))
    assert versions(db, name) == []


def test_changes_at_the_same_time_come_one_after_the_other(db: Connection, name: str) -> None:
    """Concurrent changes are serialised: the second waits, keeps the first one's change, and reports the settings
    that it found."""
    with psycopg.connect(db.info.dsn) as other:
        apply(other, name, {"k1": 2}, "first")
        with ThreadPoolExecutor(1) as pool:
            second = pool.submit(apply, db, name, {"b": 0.5}, "second")
            with psycopg.connect(db.info.dsn, autocommit=True) as watch:
                waits = "select wait_event_type = 'Lock' from pg_stat_activity where pid = %s"
                while not one(watch, waits, db.info.backend_pid):
                    assert not second.done()
            other.commit()
            assert second.result() == 3
    assert [(v["version"], v["reason"], v["changes"]) for v in versions(db, name)] == [
        (3, "second", {"b": [None, 0.5]}), (2, "first", {"k1": [1.2, 2]}), (1, None, {}),
    ]  # fmt: skip
