"""A tenant's data, exported and imported elsewhere, gives the same answers to every call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.isolation.world import Connection, World
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from pgbraid import embedded
from support.api import TABLES
from support.calls import full_text, one, upsert
from support.examples import examples
from support.parts import MANIFESTS, chosen, is_installed

DOCUMENTS: list[dict[str, Any]] = [
    {
        "external_id": "plain",
        "title": "Prices of cars",
        "content": "A car costs more than a bicycle. " * 60,
        "speaker": "Ana",
        "category": "memo",
        "importance": 0.1,
        "occurred_at": "2026-03-01T12:00:00.123456+05:45",
        "source_uri": "https://example.com/a?b='c'",
        "metadata": {"year": 2024, "team": "red", "deep": {"list": [1, None, "x"], "n": 1.10}, "big": 10**40},
    },
    {
        "external_id": "chunked",
        "title": "Ünïcode \u2028 \U0001f600",
        "language": "de",
        "chunks": [
            {"content": "Die Häuser der Stadt", "embedding": [0.1, 1e-7, -3.4028234e17], "speaker": "Bo"},
            {
                "content": "automobile für alle",
                "importance": 5e-324,
                "metadata": {"own": [True], "year": 2025},
                "sparse": {"auto": 0.1, "ü": 2},
            },
            {"content": "no words here: …", "language": "fr", "embedding": [1, 2, 3]},
        ],
    },
    {"external_id": "old", "content": "car of Caesar", "occurred_at": "0044-03-15 12:00 BC", "embedding": [1, 0, 0]},
    {
        "external_id": "ever",
        "content": "car for ever",
        "occurred_at": "infinity",
        "embedding": [0, 1, 0],
        "metadata": {"year": 2e3},
    },
    {"external_id": "bare title", "title": "Car"},
    {"external_id": "nothing"},
    {"external_id": "'; drop table \\ \"", "content": "back\\slash \t tab \r\n line", "metadata": {"": {"": ""}}},
]
QUERIES = [
    {"query_id": "one", "text": "car prices", "embedding": [0.1, 1e-7, -3.4028234e17], "filters": {"year": 2024}},
    {"query_id": "two", "text": "häuser", "embedding": [1, 2, 3]},
]
LEARNED = {
    "version": 1,
    "mode": "hybrid",
    "features": ["score", "importance"],
    "intercept": 1e-07,
    "weights": [0.1, -2.5e-05],
    "trees": [{"feature": [1], "threshold": [0.3], "left": [-1], "right": [-2], "value": [0.1, 1e10]}],
}
STANDING = """select braid.create_standing_query('cars', 'car prices', '[1,0,0]', '{"year": {"$gte": 2000}}', 'rich',
    'any', 0.1, '{"language": "english"}')"""
JUDGMENTS = [
    {"query_id": "one", "external_id": "plain", "grade": 3, "judge": "ana"},
    {"query_id": "one", "external_id": "plain", "grade": -1, "judge": "bo"},
    {"query_id": "one", "external_id": "not there", "grade": 1},
]
SAME = (
    "r.external_id, r.chunk_index, r.title, r.content, r.source_uri, r.speaker, r.category, r.importance, r.occurred_at"
    ", r.created_at, r.token_count, r.metadata, r.score, r.full_text_score, r.full_text_rank, r.semantic_score,"
    " r.semantic_rank, r.snippet"
)
ASKED = [
    f"select ({SAME})::text from braid.hybrid_search('car prices häuser', '[1,1,0]', 100, collection => 'rich',"
    " options => '{\"snippet\": true}') r",
    f"select ({SAME})::text from braid.full_text_search('car -bicycle', 100, collection => 'rich') r",
    f"select ({SAME})::text from braid.full_text_search('Häuser', 9, options => '{{\"language\": \"de\"}}',"
    " collection => 'rich') r",
    f"select ({SAME})::text from braid.semantic_search('[0.5,1,0.25]', 100, collection => 'rich',"
    ' filters => \'{"year": {"$gte": 2000}}\') r',
    f"select ({SAME}, r.sparse_score)::text from braid.hybrid_search('car', collection => 'rich',"
    ' options => \'{"sparse": {"ü": 3, "auto": 0.7}}\') r',
    f"select ({SAME})::text from braid.similar_documents('old', 100, collection => 'rich') r",
    "select f::text from braid.facets('{speaker,category,language,year,team,importance}', collection => 'rich') f",
    "select input from braid.claim_embedding_jobs(100, collection => 'rich', lease => '1 microsecond')",
    "select p::text from braid.check_index('rich') p",
    "select braid.get_profile('ana')",
    "select braid.get_ranking_model('learned')",
    "select m::text from braid.list_ranking_models() m",
    f"select ({SAME}, r.boosts)::text from braid.hybrid_search('car', '[1,1,0]', 100, collection => 'rich',"
    ' options => \'{"ranking_model": "learned"}\') r',
    "select q::text from braid.list_queries('asked') q",
    "select j::text from braid.list_judgments('asked', 'one') j",
    "select braid.evaluate('asked', '{\"collection\": \"rich\"}', '{ndcg@10}')::jsonb - '{latency,queries}'::text[]",
    "select q::text from braid.list_standing_queries('rich') q",
    "select (name, kind, external_id, chunk_index, matched_at)::text"
    " from braid.claim_matches(100, '1 microsecond', 'rich')",
    "select braid.export_tenant()::text",
]


ASKED = list(filter(is_installed, ASKED))
# These are the kinds of records of `source`, except its collection.
KINDS = ["document", *(kind for part in sorted(chosen()) for kind in MANIFESTS[part].get("records", ()))]
MODEL = {"embedding_model", "dimensions", "distance"}


def create_collection(admin: Connection) -> None:
    # The collection fuses by rank: convex fusion uses the mean of similarities, whose last digit may change with the
    # order of rows.
    admin.execute(
        "select braid.create_collection('rich', 'english', 3, 'l2', 'test', 32,"
        ' ranking => \'{"k1": 0.9, "b": 0.4, "title_weight": 2.5, "fusion": "rrf", "rrf_k": 17,'
        ' "semantic_weight": 0.3}\','
        ' settings => \'{"fold_diacritics": false, "hnsw_m": 8}\','
        ' indexed_attributes => \'{"year": "number", "team": "text"}\')'
    )
    admin.execute("select braid.set_synonyms('car', '{automobile}', 'rich')")


@pytest.fixture(scope="module")
def source(world: World) -> Connection:
    """Return a session of a tenant with all kinds of documents."""
    create_collection(world.admin)
    world.admin.execute("select braid.create_tenant('source')")
    connection = world.connect("postgres", braid__tenant="source")
    if is_installed(STANDING):
        connection.execute(STANDING)
    connection.execute("select braid.upsert_documents(%s, 'rich')", (json.dumps(DOCUMENTS),))
    connection.execute("select braid.update_metadata('chunked', '{\"team\": \"blue\"}', collection => 'rich')")
    connection.execute("select braid.upsert_document('gone', 'car car car', collection => 'rich')")
    connection.execute("select braid.delete_document('gone', 'rich')")
    profile = "'[0.1,1e-7,-3.4028234e17]', '{\"category\": {\"memo\": 0.1}}', 'rich'"
    of_parts: list[tuple[str, tuple[str, ...]]] = [
        (f"select braid.set_profile('ana', {profile})", ()),
        ("select braid.create_query_set('asked', description => 'Ünïcode')", ()),
        ("select braid.store_queries('asked', %s, 'rich')", (json.dumps(QUERIES),)),
        ("select braid.store_judgments('asked', %s)", (json.dumps(JUDGMENTS),)),
        ("select braid.store_ranking_model('learned', %s)", (json.dumps(LEARNED),)),
        ("select braid.add_principal_member('source', 'group:sales', 'user:ana')", ()),
        ("select braid.add_principal_member('source', '*', 'login:postgres')", ()),
    ]
    for statement, values in of_parts:
        if is_installed(statement):
            connection.execute(statement.encode(), values)
    return connection


@pytest.fixture(scope="module")
def importer(world: World) -> Connection:
    return world.connect("postgres", braid__tenant="target")


@pytest.fixture
def target(world: World, importer: Connection) -> Iterator[Connection]:
    """Yield an administrator's session for a new tenant."""
    world.admin.execute("select braid.create_tenant('target')")
    yield importer
    world.admin.execute("select braid.drop_tenant('target', 'target')")


@pytest.fixture(scope="module")
def elsewhere(server: embedded.Server, template: str) -> Iterator[World]:
    created = World(server.dsn_for("postgres"), template)
    yield created
    created.close()


def records(connection: Connection) -> list[str]:
    return [record for (record,) in connection.execute("select braid.export_tenant()::text")]


def load(connection: Connection, exported: list[str]) -> int:
    return int(one(connection, "select braid.import_tenant(%s)", f"[{','.join(exported)}]"))


def answers(connection: Connection) -> list[Any]:
    found = [connection.execute(statement).fetchall() for statement in ASKED]
    # Jobs come in the order of ids, and equal facets in any order.
    return [
        rows if statement.startswith("select (") else sorted(rows) for statement, rows in zip(ASKED, found, strict=True)
    ]


def test_another_tenant_gets_the_same_answers(source: Connection, target: Connection) -> None:
    expected = answers(source)
    assert all(expected[:8]) and not expected[8]
    assert load(target, records(source)) == len(DOCUMENTS)
    assert answers(target) == expected
    named = "select external_id, boosts from braid.hybrid_search('prices of CARS', collection => 'rich') limit 1"
    ((external_id, boosts),) = target.execute(named).fetchall()
    assert (external_id, boosts[-1]["signal"]) == ("plain", "exact_name")
    # The hashes were imported.
    status = "select array_agg(distinct status) from braid.upsert_documents(%s, 'rich')"
    unchanged = [document for document in DOCUMENTS if document["external_id"] != "chunked"]
    assert target.execute(status, (json.dumps(unchanged),)).fetchone() == (["unchanged"],)


def test_another_database_gets_the_same_answers(source: Connection, elsewhere: World) -> None:
    """Another database gives the same answers after an administrator's import with collection and synonyms. A second
    import, also in pieces, changes nothing."""
    expected = answers(source)
    elsewhere.admin.execute("select braid.create_tenant('source')")
    imported = elsewhere.connect("postgres", braid__tenant="source", timezone="Asia/Tokyo", extra_float_digits="-15")
    load(imported, records(source))
    for record in records(source):
        load(imported, [record])
    imported.execute("set timezone = default; set extra_float_digits = default")
    assert answers(imported) == expected


def test_an_export_does_not_depend_on_the_sessions_settings(world: World, source: Connection) -> None:
    other = world.connect(
        "postgres",
        braid__tenant="source",
        timezone="Asia/Kathmandu",
        datestyle="German, DMY",
        extra_float_digits="-15",
        bytea_output="escape",
        intervalstyle="sql_standard",
    )
    assert records(other) == records(source)


@pytest.mark.any_version
def test_pages_are_the_whole(source: Connection) -> None:
    whole = records(source)
    paged: list[str] = []
    after = None
    while True:
        page = [
            record
            for (record,) in source.execute("select braid.export_tenant('rich', %s, 2)::text", (after,)).fetchall()
        ]
        if not page:
            break
        paged += page
        after = json.loads(page[-1])["document"]["external_id"]
    # Profiles, query sets and ranking models belong to no collection.
    assert paged == [record for record in whole if not set(KINDS[1:]) & json.loads(record).keys()]
    assert source.execute("select count(*) from braid.export_tenant('small')").fetchone() == (0,)


@pytest.mark.any_version
@pytest.mark.parametrize("arguments", ["after => 'x'", "document_count => 1", "'rich', document_count => -1"])
def test_wrong_pages_are_refused(source: Connection, arguments: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
        source.execute(f"select braid.export_tenant({arguments})")
    assert caught.value.diag.message_hint


def test_every_column_is_exported(world: World, source: Connection) -> None:
    """Every column of the tables that the manifests export is exported."""
    found = [json.loads(record) for record in records(source)]
    document = [record["document"] for record in found if "document" in record][-1]
    compared: list[tuple[str, Any, set[str]]] = [
        ("documents", document.keys(), {"collection", "chunks"}),
        ("chunks", document["chunks"][0].keys(), {"embeddings", "sparse"}),
    ]
    for record in found:
        if "profile" in record:
            compared.append(("profiles", record["profile"].keys(), {"profile", *MODEL}))
        if "query_set" in record:
            compared.append(("query_sets", record["query_set"].keys(), {"query_set"}))
        if "query" in record and record["query"]["judgments"]:
            query = record["query"]
            compared += [
                ("queries", query.keys() - {"text"} | {"query_text"}, {"embeddings", "judgments"}),
                ("query_set_embeddings", query["embeddings"][0].keys() | {"query_set", "query_id"}, MODEL),
                ("judgments", query["judgments"][0].keys() | {"query_set", "query_id"}, set()),
            ]
        if "ranking_model" in record:
            compared.append(("ranking_models", record["ranking_model"].keys(), {"name"}))
        if "standing_query" in record:
            vector = {"embedding", "min_score"}
            made = {"required_lexemes", "excluded_lexemes", "demands", "is_plain", "query_count"}
            compared += [
                ("standing_queries", record["standing_query"].keys() | made, {"collection", "name", *MODEL, *vector}),
                ("standing_query_embeddings", (record["standing_query"].keys() & vector) | {"query_id"}, set()),
            ]
        if "standing_query_match" in record:
            keys = record["standing_query_match"].keys() | {"query_id", "chunk_id", "claimed_until"}
            compared.append(("standing_query_matches", keys, {"collection", "name", "external_id", "chunk_index"}))
        if "principal_member" in record:
            compared.append(("principal_members", record["principal_member"].keys(), set()))
    exported = {table for table, facts in TABLES.items() if facts.get("is_exported")}
    assert exported == {"sparse_rows", *(table for table, _, _ in compared)}
    for table, keys, more in compared:
        columns = world.admin.execute(
            "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped",
            (f"braid_store.{table}",),
        )
        ids = {"tenant_id", "id", "collection_id", "document_id", "attribute_version", "name", "vector_space_id"}
        # Parts export what their columns of the core's tables stand for.
        ids |= {name for manifest in MANIFESTS.values() for name in manifest.get("columns", {}).get(table, ())}
        assert keys == {name for (name,) in columns} - ids | more


def test_vectors_of_a_shard_and_of_both_models_come_along(world: World, source: Connection, elsewhere: World) -> None:
    for place in (world, elsewhere):
        place.admin.execute("select braid.create_tenant('vectors')")
        place.admin.execute(
            "select braid.create_collection('half', dimensions => 2, embedding_model => 'old',"
            ' settings => \'{"vector_storage": "halfvec"}\')'
        )
    connection = world.connect("postgres", braid__tenant="vectors")
    documents = [{"external_id": f"{n}", "content": f"x{n}", "embedding": [1, n / 7]} for n in range(30)]
    connection.execute("select braid.upsert_documents(%s, 'half')", (json.dumps(documents),))
    world.admin.execute("update braid_store.vector_settings set exact_rows = 1")
    for _ in range(3):
        world.admin.execute("select braid.maintain()")
    state = connection.execute("select braid.status('half') #>> '{collections,0,vectors,shards,0,state}'")
    assert state.fetchone() == ("serving",)
    world.admin.execute("update braid_store.vector_settings set exact_rows = 8000")
    of_another = {"new": "[1,2,3,4]"} if "model_change" in chosen() else {"old": "[1,2]"}
    for place in (world, elsewhere) if "new" in of_another else ():
        place.admin.execute("select braid.start_model_change('half', 'new', 4)")
    (vector,) = of_another.values()
    connection.execute(f"select braid.upsert_document('n', 'n', embedding => '{vector}', collection => 'half')")
    exported = records(connection)
    embeddings = {
        record["document"]["external_id"]: record["document"]["chunks"][0]["embeddings"]
        for record in map(json.loads, exported)
        if "document" in record
    }
    assert embeddings["n"] == of_another
    assert embeddings["29"].keys() == {"old"}
    there = elsewhere.connect("postgres", braid__tenant="vectors")
    load(there, exported)
    assert records(there) == exported
    nearest = "select external_id, score from braid.semantic_search('[1,2]', 10, collection => 'half',"
    nearest += " options => '{\"exact\": true}')"
    assert there.execute(nearest).fetchall() == connection.execute(nearest).fetchall()
    world.admin.execute("select braid.drop_collection('half')")


class TestWhoMay:
    def test_a_writer_imports_into_collections_that_are_there(self, world: World, source: Connection) -> None:
        world.admin.execute("select braid.create_tenant('written')")
        login = world.role("writer", "braid_writer")
        world.member("written", login)
        writer = world.connect(login)
        exported = records(source)
        if any("principal_member" in record for record in exported):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match='"user:ana" is not in "group') as refused:
                load(writer, exported)
            assert "principal_member" in str(refused.value.diag.message_hint) and records(writer) == []
            world.admin.execute("select braid.add_principal_member('written', 'group:sales', 'user:ana')")
        assert load(writer, exported) == len(DOCUMENTS)
        assert records(writer) == exported
        new = json.loads(exported[0])
        new["collection"]["name"] = "elsewhere"
        with pytest.raises(psycopg.errors.UndefinedObject, match="elsewhere") as caught:
            load(writer, [json.dumps(new)])
        assert "administrator" in str(caught.value.diag.message_hint)

    def test_a_reader_may_do_neither(self, world: World) -> None:
        login = world.role("reader", "braid_reader")
        world.member("alpha", login)
        reader = world.connect(login)
        for call in ("export_tenant()", "import_tenant('[]')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(f"select braid.{call}")

    @pytest.mark.any_version
    def test_a_collection_with_other_settings_is_refused(self, source: Connection, target: Connection) -> None:
        exported = records(source)
        changes = {"k1": 1.5, "embedding_model": "other", "synonyms": {}, "unknown": 1, "fusion": None}
        for key, value in changes.items():
            other = json.loads(exported[0])
            other["collection"][key] = value
            with pytest.raises(psycopg.errors.InvalidParameterValue, match=f"other settings here: .*{key}") as caught:
                load(target, [json.dumps(other), *exported[1:]])
            assert "leave out the record" in str(caught.value.diag.message_hint)
        assert records(target) == []
        assert load(target, exported[1:]) == len(DOCUMENTS)
        assert records(target) == exported


BAD: list[Any] = [
    None,
    {},
    "x",
    [None],
    [[]],
    [1],
    [{}],
    [{"document": {}}],
    [{"document": None}],
    [{"document": []}],
    [{"collection": 1}],
    [{"collection": {}, "document": {}}],
    [{"other": {}}],
    [{"collection": {"name": "nowhere", "dimensions": "x"}}],
    [{"collection": {"name": None}}],
    [{"collection": {"name": "nowhere"}}],
]


@pytest.mark.any_version
@pytest.mark.parametrize("wrong", BAD, ids=lambda wrong: json.dumps(wrong)[:40])
def test_what_is_no_export_is_refused(target: Connection, wrong: Any) -> None:
    with pytest.raises(psycopg.errors.DataError) as caught:
        load_json(target, wrong)
    assert caught.value.sqlstate in ("22023", "22P02")
    assert caught.value.diag.message_hint
    assert records(target) == []


def load_json(connection: Connection, value: Any) -> None:
    connection.execute("select braid.import_tenant(%s::jsonb)", (json.dumps(value),))


DOCUMENT_CHANGES: list[tuple[str, Any]] = [
    ("external_id", None),
    ("external_id", ""),
    ("external_id", "x" * 1025),
    ("external_id", {"a": 1}),
    ("metadata", None),
    ("metadata", []),
    ("content_hash", None),
    ("content_hash", "\\xzz"),
    ("occurred_at", "yesterday's"),
    ("occurred_at", "2026-99-99"),
    ("created_at", None),
    ("collection", "nowhere"),
    ("collection", None),
    ("chunks", None),
    ("chunks", {}),
    ("chunks", [None]),
    ("unknown", 1),
    ("tenant_id", 1),
    ("id", 1),
]
CHUNK_CHANGES: list[tuple[str, Any]] = [
    ("content", None),
    ("content", "word " * 40000),
    ("token_count", "many"),
    ("token_count", 1e300),
    ("importance", "much"),
    ("importance", 10**400),
    ("metadata", None),
    ("metadata", "x"),
    ("embeddings", None),
    ("embeddings", {"test": "x"}),
    ("embeddings", {"test": [1, 2]}),
    ("embeddings", {"test": {"a": 1}}),
    ("embeddings", {"test": "[NaN,1,2]"}),
    ("chunk_index", None),
    ("chunk_index", 1),
    ("tenant_id", 1),
    ("document_id", 1),
    ("id", 1),
]


@pytest.mark.any_version
@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        *(("document", key, value) for key, value in DOCUMENT_CHANGES),
        *(("chunk", key, value) for key, value in CHUNK_CHANGES),
    ],
    ids=lambda value: str(value)[:20],
)
def test_records_that_were_changed_are_refused(
    source: Connection, target: Connection, part: str, key: str, value: Any
) -> None:
    exported = [json.loads(record) for record in records(source)]
    chunked = next(r["document"] for r in exported if r.get("document", {}).get("external_id") == "chunked")
    (chunked if part == "document" else chunked["chunks"][0])[key] = value
    wrong = (psycopg.errors.DataError, psycopg.errors.UndefinedObject, psycopg.errors.ProgramLimitExceeded)
    with pytest.raises(wrong) as caught:
        load_json(target, exported)
    assert caught.value.sqlstate in ("22023", "22P02", "42704", "22003", "54000")
    assert records(target) == []


texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
floats = st.floats(allow_nan=False, allow_infinity=False)
chunks = st.fixed_dictionaries(
    {"content": texts},
    optional={
        "speaker": texts,
        "importance": floats,
        "metadata": st.dictionaries(texts, values, max_size=3),
        "embedding": st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3),
        "language": texts,
    },
)
documents = st.fixed_dictionaries(
    {"external_id": texts.filter(bool)},
    optional={
        "title": texts,
        "category": texts,
        "occurred_at": st.datetimes().map(lambda time: time.isoformat() + "Z"),
        "metadata": st.dictionaries(texts, values, max_size=3),
        "chunks": st.lists(chunks, max_size=3),
    },
)


@settings(
    max_examples=examples(25),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(documents, min_size=1, max_size=5))
def test_whatever_is_stored_comes_back(source: Connection, target: Connection, generated: list[dict[str, Any]]) -> None:
    with source.transaction(force_rollback=True):
        source.execute("select braid.upsert_documents(%s, 'rich')", (json.dumps(generated),))
        expected = answers(source)
        exported = records(source)
    with target.transaction(force_rollback=True):
        load(target, exported)
        found = answers(target)
    assert found == expected


@pytest.mark.any_version
def test_an_import_has_the_limits_of_writes(db: Connection) -> None:
    upsert(db, [{"external_id": "a", "content": "leeds", "title": "x"}])
    records = [row[0] for row in db.execute("select braid.export_tenant()").fetchall()]
    documents = [record for record in records if "document" in record]
    documents[0]["document"]["title"] = "x " * 32_768
    with pytest.raises(
        psycopg.errors.ProgramLimitExceeded, match='title of document "a" has 65536 bytes, more than 4096'
    ):
        db.execute("select braid.import_tenant(%s)", (Jsonb(records),))
    documents[0]["document"]["title"] = "y"
    documents[0]["document"]["chunks"][0]["speaker"] = "x" * 1025
    with pytest.raises(psycopg.errors.ProgramLimitExceeded, match='speaker of document "a" chunk 1 has 1025 bytes'):
        db.execute("select braid.import_tenant(%s)", (Jsonb(records),))
    assert [hit[0] for hit in full_text(db, "leeds")] == ["a"]
