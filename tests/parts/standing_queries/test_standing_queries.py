"""Documents match standing queries when they are written, exactly if a search would find them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

import pgbraid
from pgbraid.errors import InvalidArgumentError, NotFoundError
from support import OtherSession
from support.calls import full_text, named, one, semantic, set_tenant, upsert, vector
from support.nearest import maintain
from support.waiting import PATIENCE

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]

SETTINGS = settings(
    deadline=None, suppress_health_check=list(HealthCheck), database=None, max_examples=30, derandomize=True
)
WORDS = ["engine", "engines", "car", "auto", "the", "motor-boat", "boat", "get_user", "user", "café", "O'Brien", "17.2"]
HERE = {"collection": "standing"}


def stand(db: Connection, name: str, query_text: str | None = None, **arguments: Any) -> None:
    given = {"name": name, "query_text": query_text, **HERE, **arguments}
    values = {key: Jsonb(value) if isinstance(value, dict) else value for key, value in given.items()}
    db.execute(f"select braid.create_standing_query({named(given)})", values)


def claim(db: Connection, count: int = 10_000, lease: str = "1 hour") -> list[tuple[str, str, str, int]]:
    """Claim matches; return the name, the kind, the document and the chunk of each."""
    return db.execute(
        "select name, kind, external_id, chunk_index from braid.claim_matches(%s, %s, 'standing')", (count, lease)
    ).fetchall()


def write(db: Connection, *documents: dict[str, Any]) -> None:
    upsert(db, documents, "standing")


def chunk_ids(db: Connection) -> dict[str, int]:
    """Return the chunk of each document."""
    return dict(db.execute(
        "select d.external_id, c.id from braid_store.chunks c join braid_store.documents d on d.id = c.document_id"
        " where c.tenant_id = braid.current_tenant_id()").fetchall())  # fmt: skip


@pytest.fixture
def standing(db: Connection) -> Connection:
    db.execute("select braid.create_collection('standing', dimensions => 3, embedding_model => 'test')")
    db.execute("select braid.set_synonyms(word, synonyms, 'standing') from (values ('car', '{auto}'::text[]),"
               " ('motor boat', '{engine}'), ('boat', '{the engine}')) s (word, synonyms)")  # fmt: skip
    return db


@st.composite
def clauses(draw: st.DrawFn) -> str:
    word = st.sampled_from(WORDS)
    kind = draw(st.sampled_from(["word", "word", "word", "+", "-", "phrase", "-phrase", "prefix", "+prefix", "or"]))
    if kind.endswith("phrase"):
        return kind.removesuffix("phrase") + '"' + " ".join(draw(st.lists(word, min_size=1, max_size=3))) + '"'
    if kind.endswith("prefix"):
        return kind.removesuffix("prefix") + draw(word)[: draw(st.integers(1, 5))] + "*"
    if kind == "or":
        return f"{draw(word)} OR {draw(word)}"
    return kind.removesuffix("word") + draw(word)


QUERY = st.tuples(
    st.lists(clauses(), min_size=1, max_size=4).map(" ".join),
    st.sampled_from(["all", "all", "any", "60%"]),
    st.sampled_from([None, None, {"kind": "a"}, {"kind": {"$ne": "a"}}]),
    st.sampled_from([None, None, {"operators": False}, {"language": "simple"}]),
)
TEXT = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
DOCUMENT = st.fixed_dictionaries({
    "title": TEXT,
    "chunks": st.lists(TEXT.map(lambda text: {"content": f"{text} x"}), min_size=1, max_size=3),
    "metadata": st.sampled_from([{}, {"kind": "a"}, {"kind": "b"}]),
})  # fmt: skip


def texts(*contents: str, title: str = "") -> list[dict[str, Any]]:
    return [{"title": title, "chunks": [{"content": content} for content in contents], "metadata": {}}]


@SETTINGS
# A title that does not count, words of phrases with synonyms, parts of a word.
@example(queries=[("car", "all", None, None)], before=[], documents=texts("x", title="car"), title_weight=0)
@example(queries=[("car", "any", None, None)], before=[], documents=texts("x", title="auto"), title_weight=0)
@example(queries=[("motor boat", "all", None, None)], before=[], documents=texts("motor", "engine"), title_weight=1)
@example(queries=[("boat the", "any", None, None)], before=[], documents=texts("the", "engine"), title_weight=1)
@example(queries=[("car", "all", None, None)], before=[], documents=texts("car", "auto"), title_weight=1)
@example(queries=[("get_user", "all", None, None)], before=[], documents=texts("get user", "user"), title_weight=1)
@given(
    queries=st.lists(QUERY, min_size=1, max_size=6),
    before=st.lists(DOCUMENT, max_size=3),
    documents=st.lists(DOCUMENT, min_size=1, max_size=4),
    title_weight=st.sampled_from([0, 1]),
)
def test_a_text_matches_what_a_search_would_find(
    standing: Connection,
    queries: list[tuple[str, str, dict[str, Any] | None, dict[str, Any] | None]],
    before: list[dict[str, Any]],
    documents: list[dict[str, Any]],
    title_weight: int,
) -> None:
    standing.execute("select braid.clear_collection('standing')")
    standing.execute("select braid.set_ranking('standing', %s)", (Jsonb({"title_weight": title_weight}),))
    for row in standing.execute("select name from braid.list_standing_queries('standing')").fetchall():
        standing.execute("select braid.drop_standing_query(%s, 'standing')", row)
    write(standing, *[{"external_id": f"old {n}", **document} for n, document in enumerate(before)])
    created = {}
    for number, (text, match, filters, options) in enumerate(queries):
        given = {"match": match, "filters": filters, "options": options}
        try:
            stand(standing, str(number), text, **given)
        except psycopg.errors.InvalidParameterValue:
            # Exclusions alone find nothing.
            assert full_text(standing, text, **given, **HERE) == []
        else:
            created[str(number)] = (text, given)
    write(standing, *[{"external_id": f"new {n}", **document} for n, document in enumerate(documents)])
    found = set(claim(standing))
    expected = {
        (name, external_id): min(c for e, c, _ in rows if e == external_id)
        for name, (text, given) in created.items()
        for rows in [full_text(standing, text, **given, **HERE)]
        for external_id, _, _ in rows
        if external_id.startswith("new")
    }
    assert {(name, document) for name, _, document, _ in found} == expected.keys()
    assert {(name, document): chunk for name, _, document, chunk in found} == expected


@SETTINGS
@given(
    queries=st.lists(
        st.tuples(
            st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any),
            st.floats(-0.9, 0.95),
            st.sampled_from(["", "", "+fox", "-fox", '"red fox"', "fox"]),
            st.sampled_from([None, {"kind": "a"}]),
        ),
        min_size=1, max_size=6,
    ),
    documents=st.lists(
        st.tuples(
            st.sampled_from(["red fox", "fox red", "owl"]),
            st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any),
            st.sampled_from([{}, {"kind": "a"}]),
        ),
        min_size=1, max_size=4,
    ),
    comes_later=st.booleans(),
)  # fmt: skip
def test_a_vector_matches_what_a_search_would_find(
    standing: Connection,
    queries: list[tuple[list[int], float, str, dict[str, Any] | None]],
    documents: list[tuple[str, list[int], dict[str, Any]]],
    comes_later: bool,
) -> None:
    standing.execute("select braid.clear_collection('standing')")
    for row in standing.execute("select name from braid.list_standing_queries('standing')").fetchall():
        standing.execute("select braid.drop_standing_query(%s, 'standing')", row)
    for number, (embedding, least, text, filters) in enumerate(queries):
        stand(standing, str(number), text, query_embedding=vector(embedding), semantic_min_score=least, filters=filters)
    write(standing, *[
        {"external_id": str(n), "content": text, "metadata": metadata, "embedding": None if comes_later else embedding}
        for n, (text, embedding, metadata) in enumerate(documents)
    ])  # fmt: skip
    if comes_later:
        assert [row for row in claim(standing) if row[1] == "semantic"] == []
    # Demands hold for vectors as they do in a hybrid search.
    demands: dict[str, Callable[[str], bool]] = {
        "+fox": lambda text: "fox" in text,
        "-fox": lambda text: "fox" not in text,
        '"red fox"': lambda text: "red fox" in text,
    }
    if comes_later:
        ids = chunk_ids(standing)
        standing.execute(
            "select braid.store_embeddings(%s, %s::vector[], 'standing')",
            ([ids[str(n)] for n in range(len(documents))], [vector(embedding) for _, embedding, _ in documents]),
        )
    found = {(name, document) for name, kind, document, _ in claim(standing) if kind == "semantic"}
    assert found == {
        (str(number), document)
        for number, (embedding, least, text, filters) in enumerate(queries)
        for document, _, _ in semantic(standing, embedding, min_score=least, filters=filters, **HERE)
        if demands.get(text, bool)(documents[int(document)][0])
    }


def test_a_query_of_text_and_vector_matches_in_two_ways(standing: Connection) -> None:
    stand(standing, "both", "owl", query_embedding="[1,0,0]", semantic_min_score=0.9)
    write(standing, {"external_id": "text", "content": "An owl."})
    write(standing, {"external_id": "vector", "content": "A bird.", "embedding": [1, 0, 0]})
    write(standing, {"external_id": "both", "content": "The owl.", "embedding": [1, 0.1, 0]})
    assert claim(standing) == [
        ("both", "full_text", "text", 0), ("both", "semantic", "vector", 0),
        ("both", "full_text", "both", 0), ("both", "semantic", "both", 0),
    ]  # fmt: skip


def test_a_vector_of_an_earlier_document_matches_when_it_comes(standing: Connection) -> None:
    write(standing, {"external_id": "early", "content": "Owls."})
    stand(standing, "near", query_embedding="[1,0,0]", semantic_min_score=0.9)
    stand(standing, "worded", "owls")
    ids = [chunk_ids(standing)["early"]]
    standing.execute("select braid.store_embeddings(%s, array['[1,0,0]']::vector[], 'standing')", (ids,))
    assert claim(standing) == [("near", "semantic", "early", 0)]


def test_each_version_that_matches_counts_and_replaced_versions_go(standing: Connection) -> None:
    stand(standing, "owls", "owl")
    write(standing, {"external_id": "a", "content": "An owl."})
    write(standing, {"external_id": "a", "content": "An owl."})
    assert len(claim(standing, lease="1 microsecond")) == 1
    write(standing, {"external_id": "a", "content": "Two owls."})
    assert len(claim(standing, lease="1 microsecond")) == 1
    write(standing, {"external_id": "a", "content": "A fox."})
    assert claim(standing) == []
    write(standing, {"external_id": "a", "content": "An owl again."})
    standing.execute("select braid.delete_document('a', 'standing')")
    assert claim(standing) == []


def test_kept_vectors_of_a_new_version_match(standing: Connection) -> None:
    stand(standing, "near", query_embedding="[1,0,0]", semantic_min_score=0.9, filters={"kind": "a"})
    chunk = {"content": "An owl.", "embedding": [1, 0, 0]}
    write(standing, {"external_id": "a", "chunks": [chunk], "metadata": {"kind": "b"}})
    assert claim(standing) == []
    # The second chunk is new; the first has the text of the version before, and keeps its vector.
    chunks = [{"content": "An owl."}, {"content": "A fox."}]
    write(standing, {"external_id": "a", "chunks": chunks, "metadata": {"kind": "a"}})
    assert claim(standing) == [("near", "semantic", "a", 0)]


@pytest.mark.parametrize("way", ["upsert", "update_metadata"])
def test_changed_metadata_match_queries_with_filters(standing: Connection, way: str) -> None:
    document = {"external_id": "a", "content": "An owl.", "embedding": [1, 0, 0], "metadata": {"state": "draft"}}
    write(standing, document)
    stand(standing, "all", "owl")
    stand(standing, "published", "owl", filters={"state": "published"})
    stand(standing, "near", query_embedding="[1,0,0]", semantic_min_score=0.9, filters={"state": "published"})
    for state in ("published", "draft"):
        if way == "upsert":
            write(standing, {**document, "metadata": {"state": state}})
        else:
            standing.execute(
                "select braid.update_metadata('a', %s, collection => 'standing')", (Jsonb({"state": state}),)
            )
    assert sorted(claim(standing)) == [("near", "semantic", "a", 0), ("published", "full_text", "a", 0)]


def test_a_batch_gives_each_document_its_matches(standing: Connection) -> None:
    for number in range(50):
        stand(standing, f"{number}", f"word{number} common")
    write(standing, *[
        {"external_id": f"{n}", "content": f"Common word{n % 60} word{n % 7}."} for n in range(400)
    ])  # fmt: skip
    expected = {(f"{n % m}", f"{n}") for n in range(400) for m in (60, 7) if n % m < 50}
    found = claim(standing)
    assert {(name, document) for name, _, document, _ in found} == expected and len(found) == len(expected)


def test_synonyms_that_come_later_count(standing: Connection) -> None:
    stand(standing, "bikes", "bike repair")
    write(standing, {"external_id": "a", "content": "Repair of bicycles."})
    assert claim(standing) == []
    standing.execute("select braid.set_synonyms('bike', '{bicycle}', 'standing')")
    write(standing, {"external_id": "b", "content": "Repair of bicycles."})
    assert [row[2] for row in claim(standing)] == ["b"]


def test_nothing_stays_of_what_is_rolled_back(standing: Connection, other_session: OtherSession) -> None:
    stand(standing, "owls", "owl")
    with other_session() as writer:
        write(writer, {"external_id": "a", "content": "An owl."})
        assert len(claim(writer)) == 1
        writer.rollback()
    assert claim(standing) == []
    with other_session() as writer:
        write(writer, {"external_id": "a", "content": "An owl."})
        pid = writer.info.backend_pid
        standing.execute("select pg_terminate_backend(%s, 180000)", (pid,))
        writer.close()
    assert claim(standing) == []
    assert one(standing, "select count(*) from braid_store.standing_query_matches"
                         " where tenant_id = braid.current_tenant_id()") == 0  # fmt: skip


def test_two_claimers_share_the_matches(standing: Connection, other_session: OtherSession) -> None:
    stand(standing, "owls", "owl")
    write(standing, *[{"external_id": f"{n}", "content": "An owl."} for n in range(10)])
    with other_session() as first, other_session() as second:
        taken = claim(first, 6), claim(second, 6)
        assert [len(rows) for rows in taken] == [6, 4]
        assert {row[2] for rows in taken for row in rows} == {f"{n}" for n in range(10)}
        first.rollback()
        second.commit()
    assert len(claim(standing)) == 6


def test_a_writer_does_not_wait_for_a_claimer(standing: Connection, other_session: OtherSession) -> None:
    stand(standing, "owls", "owl")
    write(standing, {"external_id": "a", "content": "An owl."})
    standing.execute("set lock_timeout = '3min'")
    with other_session() as claimer:
        assert len(claim(claimer)) == 1
        write(standing, {"external_id": "a", "content": "A fox."})
    assert claim(standing) == []


def test_two_writers_each_leave_their_matches(standing: Connection, other_session: OtherSession) -> None:
    stand(standing, "owls", "owl")
    with other_session() as first, other_session() as second:
        write(first, {"external_id": "a", "content": "An owl."})
        write(second, {"external_id": "b", "content": "An owl."})
        second.commit()
        assert [row[2] for row in claim(standing)] == ["b"]
        first.commit()
    assert [row[2] for row in claim(standing)] == ["a"]


def test_matches_come_again_until_they_are_acknowledged(client: pgbraid.Client, standing: Connection) -> None:
    client.create_standing_query("owls", "owl", collection="standing")
    write(standing, {"external_id": "a", "content": "An owl."}, {"external_id": "b", "content": "Owls."})
    (first,) = client.claim_matches(1, timedelta(milliseconds=1), "standing")
    standing.execute("select pg_sleep(0.01)")
    again = client.claim_matches(lease=3600, collection="standing")
    assert [(row.name, row.kind, row.external_id) for row in again] == [
        ("owls", "full_text", "a"), ("owls", "full_text", "b"),
    ]  # fmt: skip
    assert again[0].match_id == first.match_id and again[0].document_id != again[1].document_id
    assert client.claim_matches(collection="standing") == []
    assert client.acknowledge_matches([row.match_id for row in again], "standing") == 2
    assert client.acknowledge_matches([first.match_id], "standing") == 0
    (listed,) = client.list_standing_queries("standing")
    assert (listed["name"], listed["query_text"], listed["match"], listed["embedding_model"]) == (
        "owls", "owl", "all", None,
    )  # fmt: skip
    assert client.list_standing_queries("standing", after="owls") == []
    assert client.drop_standing_query("owls", "standing") and not client.drop_standing_query("owls", "standing")
    write(standing, {"external_id": "c", "content": "Owls."})
    assert client.claim_matches(collection="standing") == []
    with pytest.raises(NotFoundError):
        client.claim_matches(collection="absent")
    with pytest.raises(InvalidArgumentError):
        client.claim_matches(0, collection="standing")


def test_the_notice_says_nothing(standing: Connection, other_session: OtherSession) -> None:
    stand(standing, "owls", "owl")
    with other_session(autocommit=True) as listener:
        listener.execute("listen braid_matches")
        write(standing, {"external_id": "a", "content": "A fox."})
        write(standing, {"external_id": "b", "content": "An owl."}, {"external_id": "c", "content": "An owl."})
        heard = list(listener.notifies(timeout=PATIENCE, stop_after=1))
        assert [(notice.channel, notice.payload) for notice in heard] == [("braid_matches", "")]


def test_tenants_share_neither_queries_nor_matches(standing: Connection) -> None:
    stand(standing, "owls", "owl")
    write(standing, {"external_id": "a", "content": "An owl."})
    ids = one(standing, "select array_agg(id) from braid_store.standing_query_matches")
    neighbour = uuid.uuid4().hex
    standing.execute("select braid.create_tenant(%s)", (neighbour,))
    tenant = set_tenant(standing, neighbour)
    assert claim(standing) == []
    assert one(standing, "select braid.acknowledge_matches(%s, 'standing')", ids) == 0
    assert one(standing, "select count(*) from braid.list_standing_queries('standing')") == 0
    assert one(standing, "select braid.drop_standing_query('owls', 'standing')") is False
    write(standing, {"external_id": "b", "content": "An owl."})
    assert claim(standing) == []
    set_tenant(standing, tenant)
    assert [row[2] for row in claim(standing)] == ["a"]


def test_a_hidden_document_is_no_match_for_who_may_not_read_it(db: Connection, dsn: str) -> None:
    """A claimer gets what policies let him read, and cannot acknowledge the rest."""
    db.execute("select braid.create_collection('standing', dimensions => 3, embedding_model => 'test')")
    stand(db, "owls", "owl")
    write(db, {"external_id": "open", "content": "An owl."}, {"external_id": "secret", "content": "An owl."})
    db.execute("create policy hidden on braid_store.documents as restrictive for select"
               " using (external_id <> 'secret' or current_setting('test.may_read', true) = 'on')")  # fmt: skip
    ids = one(db, "select array_agg(id) from braid_store.standing_query_matches")
    assert [row[2] for row in claim(db, lease="1 microsecond")] == ["open"]
    assert one(db, "select braid.acknowledge_matches(%s, 'standing')", ids) == 1
    db.execute("set test.may_read = 'on'")
    assert [row[2] for row in claim(db)] == ["secret"]


BAD: dict[str, list[Any]] = {
    "name": [None, "", "x" * 256],
    "query_text": ["", None, "-owl", "...", '["a", "b"]', " ".join(f"w{n}" for n in range(65)), "x " * 20_000],
    "match": [None, "some", "101%"],
    "filters": [{"$and": 1}, {"a": {"$no": 1}}],
    "options": [{"explain": True}, {"operators": 1}, {"nothing": 1}, {"group_by": "document"}],
    "query_embedding": ["[1,0]", "[0,0,0]"],
    "semantic_min_score": [0.5, "NaN"],
    "collection": ["absent"],
}


@pytest.mark.parametrize(("argument", "value"), [(key, value) for key, values in BAD.items() for value in values])
def test_what_could_fail_later_is_refused_with_a_hint(standing: Connection, argument: str, value: Any) -> None:
    arguments = {"name": "bad", "query_text": "owl", argument: value}
    if argument == "query_embedding":
        arguments["semantic_min_score"] = 0.5
    with pytest.raises(psycopg.Error) as raised:
        stand(standing, **arguments)
    assert raised.value.sqlstate in ("22023", "42704", "54000") and raised.value.diag.message_hint
    assert one(standing, "select count(*) from braid.list_standing_queries('standing')") == 0


@pytest.mark.parametrize(
    "call",
    [
        "claim_matches(0, collection => 'standing')", "claim_matches(10001, collection => 'standing')",
        "claim_matches(lease => '0', collection => 'standing')", "claim_matches(null, collection => 'standing')",
        "acknowledge_matches(null, 'standing')", "list_standing_queries('standing', 0)",
        "acknowledge_matches(array_fill(1::bigint, array[10001]), 'standing')", "list_standing_queries('absent')",
    ],
)  # fmt: skip
def test_other_calls_refuse_bad_arguments(standing: Connection, call: str) -> None:
    with pytest.raises(psycopg.Error) as raised:
        standing.execute(f"select * from braid.{call}")
    assert raised.value.sqlstate in ("22023", "42704", "54000") and raised.value.diag.message_hint


def test_names_are_unique_and_queries_are_limited(standing: Connection) -> None:
    stand(standing, "owls", "owl")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='standing query "owls" exists already'):
        stand(standing, "owls", "fox")
    standing.execute(
        "insert into braid_store.standing_queries (tenant_id, collection_id, name, query_text, match, required_lexemes,"
        " excluded_lexemes, is_plain, query_count)"
        " select q.tenant_id, q.collection_id, n::text, 'x', 'all', '{x}', '{}', true, n"
        " from braid_store.standing_queries q, generate_series(2, 10000) n where q.name = 'owls'"
        " and q.tenant_id = braid.current_tenant_id()"
    )
    for dropped in ("7", "more"):
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="has 10000 standing queries of this tenant"):
            stand(standing, "another", "fox")
        assert one(standing, "select braid.drop_standing_query(%s, 'standing')", dropped)
        stand(standing, "more", "fox")


def test_creating_a_query_reads_no_more_where_many_stand(standing: Connection) -> None:
    """The work is the number of rows and index entries that one creation reads."""
    read = (
        "select sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid))"
        " from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relname ^@ 'standing_quer'"
    )

    def rows_read(name: str) -> int:
        with standing.transaction():
            before = one(standing, read)
            stand(standing, name, f"word{name} common")
            return int(one(standing, read) - before)

    rows_read("first")
    few = rows_read("few")
    for number in range(100):
        stand(standing, f"{number}", f"word{number} common")
    assert rows_read("many") <= few + 2


@pytest.mark.parametrize("match", ["all", "any", "60%"])
@pytest.mark.parametrize("text", ["eng*", "+eng*", "boat OR fox", '+"red fox" OR owl', "boat -cat*"])
def test_queries_are_not_searched_for_one_by_one(standing: Connection, text: str, match: str) -> None:
    """One search for each query takes 2 ms. The synonyms of the collection do not count here."""
    stand(standing, "found", text, match=match)
    calls = "select coalesce(pg_stat_get_xact_function_calls('braid_store.verified_chunks'::regproc), 0)"
    with standing.transaction():
        standing.execute("set local track_functions = 'all'")
        write(standing, {"external_id": "a", "content": "An engine of a boat, and an owl."})
        assert one(standing, calls) == 0
    assert claim(standing) == [("found", "full_text", "a", 0)]


def test_a_prefix_of_many_words_matches_each_of_them(standing: Connection) -> None:
    """A search takes the 64 commonest words of a prefix."""
    stand(standing, "found", "pre*")
    write(standing, *[{"external_id": f"{n}", "content": f"pre{n}x pre{n % 70}x"} for n in range(100)])
    assert len(claim(standing)) == 100


def test_the_client_embeds_the_text(client: pgbraid.Client, db: Connection) -> None:
    db.execute("select braid.create_collection('hashed')")
    client.create_standing_query("birds", "+owl -fox", collection="hashed", semantic_min_score=0.5)
    client.create_standing_query("words", "owl", collection="hashed")
    client.add_documents([{"external_id": "a", "content": "owl"}], collection="hashed")
    client.embed_pending("hashed")
    found = [(row.name, row.kind) for row in client.claim_matches(collection="hashed")]
    assert sorted(found) == [("birds", "full_text"), ("birds", "semantic"), ("words", "full_text")]


def test_a_query_that_has_become_invalid_costs_no_write(standing: Connection) -> None:
    stand(standing, "lost", "owl", filters={"kind": "a"})
    stand(standing, "owls", "owl", filters={"kind": "a"})
    # A later version may refuse a filter that this one takes.
    standing.execute(
        "update braid_store.standing_queries set filters = '{\"$and\": 1}'"
        " where tenant_id = braid.current_tenant_id() and name = 'lost'"
    )
    write(standing, {"external_id": "a", "content": "An owl.", "metadata": {"kind": "a"}})
    assert [row[0] for row in claim(standing)] == ["owls"]


def test_maintenance_deletes_old_matches(standing: Connection) -> None:
    stand(standing, "owls", "owl")
    write(standing, {"external_id": "old", "content": "An owl."}, {"external_id": "new", "content": "An owl."})
    standing.execute(
        "update braid_store.standing_query_matches m set matched_at = now() - interval '31 days'"
        " where tenant_id = braid.current_tenant_id() and chunk_id = %s", (chunk_ids(standing)["old"],)
    )  # fmt: skip
    counts = "select braid.status('standing') -> 'collections' -> 0 -> 'standing_query_matches'"
    assert one(standing, counts) == 2
    maintain(standing)
    assert one(standing, counts) == 1
    assert [row[2] for row in claim(standing)] == ["new"]


def test_a_cleared_collection_keeps_its_queries(standing: Connection) -> None:
    stand(standing, "owls", "owl")
    write(standing, {"external_id": "a", "content": "An owl."})
    standing.execute("select braid.clear_collection('standing')")
    assert claim(standing) == []
    write(standing, {"external_id": "a", "content": "An owl."})
    assert len(claim(standing)) == 1


def test_a_reader_lists_but_neither_creates_nor_claims(
    db: Connection, dsn: str, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    db.execute("select braid.create_collection('standing', dimensions => 3, embedding_model => 'test')")
    stand(db, "owls", "owl")
    login = make_login("ana", "braid_reader")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    reader = connect_as(login, "default")
    reader.execute("set default_transaction_read_only = on")
    assert one(reader, "select name from braid.list_standing_queries('standing')") == "owls"
    reader.execute("set default_transaction_read_only = off")
    for call in ("claim_matches()", "create_standing_query('a', 'b')", "drop_standing_query('owls', 'standing')",
                 "acknowledge_matches('{1}')"):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(f"select braid.{call}")
