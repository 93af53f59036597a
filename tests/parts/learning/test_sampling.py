"""sample_queries and judgments_from_clicks make query sets and judgments from the search log."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, set_tenant, upsert

pytestmark = pytest.mark.any_version
Connection = psycopg.Connection[Any]
# Full text ranks by frequency, so d0 is first for "fox" and last for "dog".
TEXTS = {f"d{n}": "fox " * (6 - n) + "dog " * n for n in range(6)}


@pytest.fixture
def logged(db: Connection) -> Connection:
    upsert(db, [{"external_id": name, "content": text} for name, text in TEXTS.items()])
    one(db, "select braid.set_search_log('default', 'all')")
    one(db, "select braid.create_query_set('asked')")
    return db


def search(db: Connection, text: str, clicks: tuple[int, ...] = (), **more: Any) -> list[str]:
    """Search, click on the results at these ranks, and return the documents in order."""
    arguments = "".join(f", {name} => %s" for name in more)
    values = [Jsonb(value) if isinstance(value, dict) else value for value in more.values()]
    answer = one(db, f"select braid.logged_search(%s{arguments})", text, *values)
    found = [row["external_id"] for row in answer["results"]]
    for rank in clicks:
        one(db, "select braid.record_feedback(%s, %s, 'click')", answer["stats"]["search_id"], found[rank - 1])
    return found


def sample(db: Connection, method: str = "random", count: int = 100, **more: Any) -> list[str]:
    """Sample queries, and return the texts that are new in the set."""
    before = texts(db)
    arguments = "".join(f", {name} => %s" for name in more)
    stored = one(
        db, f"select braid.sample_queries('asked', 'default', %s, %s{arguments})", method, count, *more.values()
    )
    new = [text for text in texts(db) if text not in before]
    assert stored == len(new)
    return new


def texts(db: Connection) -> list[str]:
    return [text for (text,) in db.execute("select query_text from braid.list_queries('asked')").fetchall()]


def test_the_most_frequent_queries_are_taken(logged: Connection) -> None:
    for text, count in {"fox": 4, "dog": 3, "cat": 2, "cow": 1}.items():
        for number in range(count):
            search(logged, f"  {text.upper()}  " if number == 0 else text)
    # Searches are also found after maintenance has moved them.
    one(logged, "select braid.maintain('10 seconds')")
    search(logged, "dog")
    assert sorted(sample(logged, "frequency", 2)) == ["dog", "fox"]
    # Queries of the set are left out.
    assert sample(logged, "frequency", 1) == ["cat"]
    assert sample(logged, "frequency", 10, min_searches=2) == []
    assert [text.strip() for text in sample(logged, "frequency", 10)] == ["COW"]
    assert sample(logged, "random") == []


def test_the_worst_queries_are_taken_first(logged: Connection) -> None:
    search(logged, "fox", clicks=(1,))
    search(logged, "dog", clicks=(3,))
    search(logged, "fox dog")
    search(logged, "unicorn")
    order = [sample(logged, "worst", 1)[0] for _ in range(4)]
    assert order == ["unicorn", "fox dog", "dog", "fox"]


def test_random_queries_follow_the_seed(logged: Connection) -> None:
    for number in range(20):
        search(logged, f"fox {number}")

    def drawn(seed: int) -> set[str]:
        with logged.transaction(force_rollback=True):
            return set(sample(logged, "random", 5, seed=seed))

    assert drawn(1) == drawn(1) != drawn(2)
    assert len(drawn(1)) == 5


def test_filters_make_other_queries_if_asked_for(logged: Connection) -> None:
    for author in ("Ana", "Bo"):
        search(logged, "fox", filters={"speaker": author})
    with logged.transaction(force_rollback=True):
        assert sample(logged) == ["fox"]
        assert one(logged, "select filters from braid.list_queries('asked')") is None
    one(logged, "select braid.sample_queries('asked', with_filters => true)")
    kept = [filters for (filters,) in logged.execute("select filters from braid.list_queries('asked')").fetchall()]
    assert sorted(kept, key=str) == [{"speaker": "Ana"}, {"speaker": "Bo"}]
    assert one(logged, "select braid.sample_queries('asked', with_filters => true)") == 0


def test_only_the_own_log_is_read(logged: Connection) -> None:
    logged.execute("select braid.create_tenant('strangers')")
    set_tenant(logged, "strangers")
    one(logged, "select braid.create_query_set('asked')")
    search(logged, "secret")
    set_tenant(logged, "default")
    search(logged, "fox")
    assert sample(logged) == ["fox"]
    one(logged, "select braid.create_collection('other')")
    assert one(logged, "select braid.sample_queries('asked', 'other')") == 0
    assert one(logged, "select braid.sample_queries('asked', since => now() + interval '1 hour')") == 0


def grades(db: Connection, query_id: str = "1", judge: str = "clicks") -> dict[str, int]:
    rows = db.execute("select * from braid.list_judgments('asked', %s)", (query_id,)).fetchall()
    return {row[0]: row[3] for row in rows if row[2] == judge}


def ask_for(db: Connection, *queries: dict[str, Any]) -> None:
    made = [{"query_id": str(number)} | query for number, query in enumerate(queries, 1)]
    db.execute("select braid.store_queries('asked', %s)", (Jsonb(made),))


def test_clicks_are_corrected_for_where_documents_stood(logged: Connection) -> None:
    ask_for(logged, {"text": "fox"})
    found = search(logged, "fox", clicks=(1, 3))
    # These are 30 searches with 6 clicks on the first document, 6 on the third and 2 on the second.
    for number in range(29):
        search(logged, " FOX ", clicks=((1, 3) if number < 5 else ()) + ((2,) if number < 2 else ()))
    done = one(logged, "select braid.judgments_from_clicks('asked', min_impressions => 5.5)")
    first, second, third, fourth, fifth, sixth = found
    # The rates are 6 / 30, 2 / (30 / 2) and 6 / (30 / 3); the other documents have no clicks.
    assert grades(logged) == {first: 2, second: 1, third: 3, fourth: 0, fifth: 0}
    assert done == {"stored": 5, "replaced": 0, "unchanged": 0, "removed": 0, "searches": 30, "left_out": 1}
    # Without correction, the third is as good as the first.
    one(logged, "select braid.judgments_from_clicks('asked', eta => 0, judge => 'raw')")
    assert grades(logged, judge="raw") == {first: 2, second: 1, third: 2, fourth: 0, fifth: 0, sixth: 0}
    # 30 / 4 impressions are fewer than 8.
    done = one(logged, "select braid.judgments_from_clicks('asked', min_impressions => 8, judge => 'sure')")
    assert grades(logged, judge="sure").keys() == {first, second, third}
    assert done["left_out"] == 3
    again = one(logged, "select braid.judgments_from_clicks('asked', min_impressions => 5.5)")
    assert (again["unchanged"], again["stored"]) == (5, 0)
    evaluation = one(logged, """select braid.evaluate('asked', '{"mode": "full_text"}', judge => 'clicks')""")
    assert 0 < evaluation["metrics"]["ndcg@10"] < 1


def test_fifty_searches_at_rank_10_are_five_impressions(logged: Connection) -> None:
    ask_for(logged, {"text": "fox"})
    search(logged, "fox")
    columns = one(
        logged, "select string_agg(attname, ', ' order by attnum) from pg_attribute where attnum > 0"
        " and attrelid = 'braid_store.search_log'::regclass and attname not in ('search_id', 'external_ids')"
    )  # fmt: skip
    logged.execute(
        f"insert into braid_store.search_log (search_id, external_ids, {columns})"
        " select braid_store.search_id_at(l.searched_at), array(select 'e' || n from generate_series(1, 10) n),"
        f" {columns} from braid_store.search_log l, generate_series(1, 50)"
    )
    logged.execute(
        "insert into braid_store.search_feedback (tenant_id, search_id, external_id, kind, collection_id, value, rank,"
        " login, recorded_at) select l.tenant_id, l.search_id, 'e10', 'click', l.collection_id, 1, 10, 'test', now()"
        " from braid_store.search_log l where l.external_ids[10] = 'e10' limit 1"
    )
    one(logged, "select braid.judgments_from_clicks('asked', min_impressions => 5)")
    # One click in five impressions is a rate of exactly 0.2.
    assert grades(logged)["e10"] == 2


def test_what_is_used_in_answers_counts_and_what_is_read_does_not(logged: Connection) -> None:
    ask_for(logged, {"text": "fox"})
    for _ in range(5):
        answer = one(logged, "select braid.logged_search('fox')")
        first, second, *_ = (row["external_id"] for row in answer["results"])
        for kind, document, value in (("used_in_answer", first, None), ("click", first, None), ("dwell", second, 9)):
            one(
                logged,
                "select braid.record_feedback(%s, %s, %s, %s)",
                answer["stats"]["search_id"],
                document,
                kind,
                value,
            )
    one(logged, "select braid.judgments_from_clicks('asked', min_impressions => 2)")
    assert grades(logged) == {first: 3, second: 0}


def test_other_searches_do_not_count(logged: Connection) -> None:
    ask_for(logged, {"text": "fox"}, {"text": "fox", "filters": {"speaker": "Ana"}}, {"text": "dog"})
    for _ in range(6):
        search(logged, "fox", clicks=(1,))
        search(logged, "foxes", clicks=(2,))
    one(logged, "select braid.judgments_from_clicks('asked', min_impressions => 6)")
    assert list(grades(logged).values()) == [3]
    assert grades(logged, "2") == grades(logged, "3") == {}
    assert (
        one(logged, "select braid.judgments_from_clicks('asked', since => now() + interval '1 day')")["searches"] == 0
    )


def test_a_hashed_log_serves_for_clicks(logged: Connection) -> None:
    one(logged, "select braid.set_search_log('default', 'all', keep_query => 'hash')")
    ask_for(logged, {"text": "the fox"})
    for _ in range(5):
        search(logged, " The FOX", clicks=(1,))
    assert sample(logged) == []
    assert one(logged, "select braid.judgments_from_clicks('asked')")["searches"] == 5
    assert list(grades(logged).values()) == [3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sample_queries('asked', method => 'best')", "method is 'best'"),
        ("sample_queries('asked', query_count => 0)", "query_count is 0"),
        ("sample_queries('asked', min_searches => 0)", "min_searches is 0"),
        ("sample_queries('asked', with_filters => null)", "with_filters is null"),
        ("judgments_from_clicks('asked', min_impressions => 0)", "min_impressions is 0"),
        ("judgments_from_clicks('asked', min_impressions => 'NaN')", "min_impressions is NaN"),
        ("judgments_from_clicks('asked', eta => 4)", "eta is 4"),
        ("judgments_from_clicks('asked', eta => 'NaN')", "eta is NaN"),
        ("judgments_from_clicks('asked', judge => '')", "judge is ''"),
        ("judgments_from_clicks('parts')", 'query set "parts" is of chunks'),
    ],
)
def test_wrong_arguments_are_refused(shared_db: Connection, call: str, message: str) -> None:
    for name, level in (("asked", "document"), ("parts", "chunk")):
        shared_db.execute("select braid.create_query_set(%s, %s)", (name, level))
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as caught:
        shared_db.execute(f"select braid.{call}".encode())
    assert caught.value.diag.message_hint


def test_unknown_names_are_refused(logged: Connection) -> None:
    for call in ("sample_queries('none')", "judgments_from_clicks('none')"):
        with pytest.raises(psycopg.errors.UndefinedObject, match='query set "none" does not exist'):
            logged.execute(f"select braid.{call}".encode())
    for call in ("sample_queries('asked', 'none')", "judgments_from_clicks('asked', 'none')"):
        with pytest.raises(psycopg.errors.UndefinedObject, match="none"):
            logged.execute(f"select braid.{call}".encode())
