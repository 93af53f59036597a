"""A profile holds what a user likes; it is stored, learned, and boosts results."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support.calls import one, set_tenant, upsert, vector
from support.nearest import maintain, set_threshold

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]

# These are cosines with the axes: the query is the first axis, and profiles resemble the second.
PLACES = {"price": (1.0, 0.0), "both": (0.8, 0.6), "taste": (0.0, 1.0), "against": (0.6, -0.8)}


@pytest.fixture
def filled(db: Connection) -> Connection:
    """Fill a collection whose vectors have the mean (.6, .2, 0)."""
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    upsert(
        db,
        [
            {
                "external_id": name,
                "content": f"text of {name}",
                "embedding": [*place, 0],
                "category": "billing" if name == "taste" else "sales",
                "speaker": "Ana" if name == "against" else None,
                "metadata": {"tags": ["a", "b", "a"], "year": 2024, "new": True} if name == "both" else {"year": 2023},
            }
            for name, place in PLACES.items()
        ],
        "small",
    )
    return db


def search(db: Connection, profile: Any, **options: Any) -> dict[str, dict[str, Any]]:
    rows = db.execute(
        "select r.external_id, to_jsonb(r)"
        " from braid.semantic_search(%s::vector, collection => 'small', options => %s) r",
        (vector([1, 0, 0]), Jsonb({"profile": profile, **options})),
    ).fetchall()
    return dict(rows)


def gained(db: Connection, profile: Any) -> dict[str, float]:
    return {name: row["score"] - max(row["fused_score"], 0) for name, row in search(db, profile).items()}


def test_a_vector_boosts_what_is_like_it(filled: Connection) -> None:
    found = search(filled, {"embedding": [0, 2, 0], "weight": 0.5})
    # The mean similarity is .2, which gives (1 - .2) / (1 - .2), (.6 - .2) / .8 and (0 - .2) / .8. The last one, (-.8 -
    # .2) / .8, is raised to -1.
    values = {"taste": 1.0, "both": 0.5, "price": -0.25, "against": -1.0}
    assert {name: row["boosts"] for name, row in found.items()} == {
        name: [{"signal": "profile", "value": pytest.approx(value), "addend": pytest.approx(0.5 * value)}]
        for name, value in values.items()
    }
    assert {name: row["score"] for name, row in found.items()} == pytest.approx(
        {"price": 1 - 0.125, "both": 0.8 + 0.25, "taste": 0.5, "against": 0.6 - 0.5}
    )
    assert list(found) == ["both", "price", "taste", "against"]


def test_attributes_boost_what_has_them(filled: Connection) -> None:
    attributes = {
        "category": {"billing": 0.5, "none": 1},
        "speaker": {"Ana": -1},
        "tags": {"a": 0.25, "b": 0.5, "c": 1},
        "year": {"2024": 0.125},
        "metadata.new": {"true": 0.0625},
    }
    assert gained(filled, {"attributes": attributes, "weight": 2}) == pytest.approx(
        {"price": 0, "both": 2 * (0.75 + 0.125 + 0.0625), "taste": 1, "against": -2}
    )
    boosts = search(filled, {"attributes": attributes})["both"]["boosts"]
    assert [(boost["signal"], boost["value"]) for boost in boosts] == [
        ("profile.category", None),
        ("profile.metadata.new", 0.0625),
        ("profile.speaker", None),
        ("profile.tags", 0.75),
        ("profile.year", 0.125),
    ]


def test_a_stored_profile_is_used_by_name(filled: Connection) -> None:
    given = {"embedding": [0, 1, 0], "attributes": {"category": {"billing": 0.5}}}
    filled.execute(
        "select braid.set_profile('ana', %s, %s, 'small')", (vector([0, 1, 0]), Jsonb({"category": {"billing": 0.5}}))
    )
    assert search(filled, "ana") == search(filled, {"name": "ana"}) == search(filled, given)
    assert (
        search(filled, {"name": "ana", "weight": 0.4})
        == search(filled, {**given, "weight": 0.4})
        != search(filled, "ana")
    )
    # Given values replace stored ones.
    assert search(filled, {"name": "ana", "attributes": {}}) == search(filled, {"embedding": [0, 1, 0]})
    assert search(filled, {"name": "ana", "embedding": [0, 0, 1]}) == search(filled, {**given, "embedding": [0, 0, 1]})
    assert search(filled, {"name": "nobody", "embedding": [0, 1, 0], "attributes": {}}) == search(
        filled, {"embedding": [0, 1, 0]}
    )
    # The profile comes after eight other boosts.
    others = [{"filter": {"year": 2024}, "factor": 2}] * 8
    row = search(filled, "ana", boosts=others)["both"]
    assert [boost["signal"] for boost in row["boosts"]] == ["filter"] * 8 + ["profile", "profile.category"]
    assert row["score"] == pytest.approx(0.8 * 2**8 + 0.2 * 0.5)
    with pytest.raises(psycopg.errors.UndefinedObject, match='profile "nobody" does not exist'):
        search(filled, "nobody")


def test_rows_are_explained_to_the_last_bit(filled: Connection) -> None:
    filled.execute(
        "select braid.set_profile('ana', %s, %s, 'small')",
        (vector([0.3, 0.7, 0.1]), Jsonb({"category": {"billing": 0.37}, "tags": {"a": 0.11, "b": -0.3}})),
    )
    for options in ({}, {"rank_by": ["similarity", "recency"]}, {"ranking": {"neighbour_weight": 0.3}}):
        explained = one(
            filled,
            "select braid.explain_search('text both', %s::vector, collection => 'small', options => %s)",
            vector([1, 0.1, 0]),
            Jsonb({"profile": {"name": "ana", "weight": 0.23}, **options}),
        )
        assert len(explained["results"]) == 4
        for row in explained["results"]:
            assert eval(row["arithmetic"], {"max": max}) == row["score"], row


def test_stats_tell_of_it(filled: Connection) -> None:
    def stats(profile: Any) -> Any:
        answer = one(
            filled,
            "select braid.search_json('text', %s::vector, collection => 'small', options => %s)",
            vector([1, 0, 0]),
            Jsonb({"profile": profile}),
        )
        return answer["stats"].get("profile"), [warning["code"] for warning in answer["warnings"]]

    attributes = {"category": {"billing": 1}}
    assert stats({"embedding": [0, 1, 0], "attributes": attributes}) == (
        {"name": None, "weight": 0.2, "embedding": "used", "attributes": ["category"]},
        [],
    )
    filled.execute("select braid.set_profile('ana', null, %s)", (Jsonb(attributes),))
    assert stats({"name": "ana", "weight": 1}) == (
        {"name": "ana", "weight": 1, "embedding": "none", "attributes": ["category"]},
        [],
    )
    assert stats(None) == (None, [])


def embed(db: Connection, model: str) -> None:
    jobs = db.execute(
        "select chunk_id, input from braid.claim_embedding_jobs(100, '5 minutes', 'small', %s)", (model,)
    ).fetchall()
    assert jobs
    vectors = [vector([*PLACES[text.split()[-1]], 0.5]) for _, text in jobs]
    db.execute(
        "select braid.store_embeddings(%s, %s::text[]::vector[], 'small', %s)",
        ([chunk_id for chunk_id, _ in jobs], vectors, model),
    )


def test_other_distances(db: Connection) -> None:
    """Likeness is 0 at the mean similarity, and 1 at the similarity of an equal vector."""
    for distance, expected in {
        # The similarity is 1 / (1 + distance), and the mean is taken at the root mean square distance, √((0 + 4 + 1 +
        # 5) / 4).
        "l2": {
            n: (1 / (1 + d) - 1 / (1 + math.sqrt(2.5))) / (1 - 1 / (1 + math.sqrt(2.5)))
            for n, d in {"a": 0.0, "b": 2.0, "c": 1.0, "d": math.sqrt(5)}.items()
        },
        # The products are 1, -1, 1, -1 with mean 0, and an equal vector's product is 1.
        "inner_product": {"a": 1.0, "b": -1.0, "c": 1.0, "d": -1.0},
    }.items():
        db.execute(
            "select braid.create_collection(%s, dimensions => 2, embedding_model => 'test', distance => %s)",
            (distance, distance),
        )
        places = {"a": [1, 0], "b": [-1, 0], "c": [1, 1], "d": [-1, 1]}
        upsert(db, [{"external_id": n, "content": n, "embedding": place} for n, place in places.items()], distance)
        found = db.execute(
            "select external_id, boosts #> '{0,value}'"
            " from braid.semantic_search('[0,1]', collection => %s, options => %s)",
            (distance, Jsonb({"profile": {"embedding": [1, 0]}})),
        ).fetchall()
        assert dict(found) == pytest.approx(expected)


def test_learning_is_rocchios(filled: Connection) -> None:
    learned = one(
        filled,
        "select braid.learn_profile('ana', '{taste,both,nowhere}', '{against}', '{category,speaker,tags}', 'small')",
    )
    weights = {
        "category": {"billing": 0.5, "sales": 0.5 - 0.2},
        "speaker": {"Ana": -0.2},
        "tags": {"a": 0.5, "b": 0.5},
    }
    assert learned == {"liked": 2, "disliked": 1, "embedded": 3, "not_found": ["nowhere"], "attributes": weights}
    raw = [0.75 * (0.0 + 0.8) / 2 - 0.15 * 0.6, 0.75 * (1.0 + 0.6) / 2 + 0.15 * 0.8, 0.0]
    length = math.hypot(*raw)
    stored = one(filled, "select braid.get_profile('ana')")
    assert stored["embedding"] == pytest.approx([number / length for number in raw], abs=1e-6)
    assert (stored["embedding_model"], stored["dimensions"], stored["distance"]) == ("test", 3, "cosine")
    assert stored["attributes"] == weights
    # The same documents, in any order, give the same profile.
    filled.execute(
        "select braid.learn_profile('ana', '{nowhere,both,taste,both}', '{against}', '{tags,speaker,category}',"
        " 'small')"
    )
    again = one(filled, "select braid.get_profile('ana')")
    assert {**again, "updated_at": None} == {**stored, "updated_at": None}
    assert next(iter(search(filled, "ana"))) == "both"


def test_documents_count_alike_and_l2_keeps_the_place(db: Connection) -> None:
    """Documents count alike, and l2 keeps positions. Chunks (2, 0) and (4, 0) are one document at (3, 0); (0, 1) is
    another; (0, -1) is disliked."""
    db.execute("select braid.create_collection('small', dimensions => 2, embedding_model => 'test', distance => 'l2')")
    chunks = [{"content": "x", "embedding": [2, 0]}, {"content": "y", "embedding": [4, 0]}]
    upsert(
        db,
        [
            {"external_id": "long", "chunks": chunks},
            {"external_id": "up", "content": "z", "embedding": [0, 1]},
            {"external_id": "down", "content": "z", "embedding": [0, -1]},
        ],
        "small",
    )
    db.execute("select braid.learn_profile('one', '{long,up}', collection => 'small')")
    assert one(db, "select braid.get_profile('one') -> 'embedding'") == [1.5, 0.5]
    db.execute("select braid.learn_profile('two', '{long,up}', '{down}', collection => 'small')")
    # The expected vector is (.75 × (1.5, .5) - .15 × (0, -1)) / .6.
    assert one(db, "select braid.get_profile('two') -> 'embedding'") == pytest.approx([1.875, 0.875])


def test_profiles_are_listed_replaced_and_deleted(filled: Connection) -> None:
    for name in ("b", "a", "é"):
        filled.execute('select braid.set_profile(%s, null, \'{"category": {"x": 1}}\')', (name,))
    listed = filled.execute("select profile, embedding_model, attributes from braid.list_profiles()").fetchall()
    assert listed == [(name, None, {"category": {"x": 1}}) for name in ("a", "b", "é")]
    assert filled.execute("select profile from braid.list_profiles(1, 'a')").fetchall() == [("b",)]
    filled.execute("select braid.set_profile('a', '[0,0,1]', collection => 'small')")
    assert one(filled, "select braid.get_profile('a') - 'updated_at'") == {
        "profile": "a",
        "embedding": [0, 0, 1],
        "embedding_model": "test",
        "dimensions": 3,
        "distance": "cosine",
        "attributes": {},
    }
    assert [one(filled, "select braid.delete_profile('a')") for _ in range(2)] == [True, False]
    assert one(filled, "select braid.get_profile('a')") is None


def test_another_tenant_has_profiles_of_its_own(filled: Connection) -> None:
    filled.execute("select braid.set_profile('ana', '[0,1,0]', collection => 'small')")
    filled.execute("select braid.create_tenant('other')")
    before = one(filled, "select t.key from braid_store.tenants t where t.id = braid.current_tenant_id()")
    set_tenant(filled, "other")
    assert one(filled, "select braid.get_profile('ana')") is None
    assert filled.execute("select * from braid.list_profiles()").fetchall() == []
    with pytest.raises(psycopg.errors.UndefinedObject):
        search(filled, "ana")
    assert one(filled, "select braid.delete_profile('ana')") is False
    filled.execute("select braid.set_profile('ana', '[1,0,0]', collection => 'small')")
    set_tenant(filled, before)
    assert one(filled, "select braid.get_profile('ana') -> 'embedding'") == [0, 1, 0]
    filled.execute("select braid.drop_tenant('other', 'other')")
    filled.execute("select braid.maintain()")
    assert one(filled, "select count(*) from braid_store.profiles") == 1


def test_readers_use_profiles_and_writers_write_them(filled: Connection) -> None:
    filled.execute("select braid.set_profile('ana', '[0,1,0]', collection => 'small')")
    tenant = one(filled, "select t.key from braid_store.tenants t where t.id = braid.current_tenant_id()")
    with logins(filled, tenant) as (reader, writer):
        filled.execute(f"set session authorization {reader}")
        assert next(iter(search(filled, {"name": "ana", "weight": 9}))) == "taste"
        for call in ("get_profile('ana')", "list_profiles()", "delete_profile('ana')", "set_profile('ana', '[1,0,0]')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                filled.execute(f"select braid.{call}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            filled.execute("select * from braid_store.profiles")
        filled.execute(f"set session authorization {writer}")
        assert one(filled, "select braid.get_profile('ana') -> 'embedding'") == [0, 1, 0]


@contextmanager
def logins(db: Connection, tenant: str) -> Iterator[tuple[str, str]]:
    """Yield the logins of a tenant's reader and writer."""
    names = "profile_reader", "profile_writer"
    for name, role in zip(names, ("braid_reader", "braid_writer"), strict=True):
        db.execute(f"create role {name} login")
        db.execute(f"grant {role} to {name}")
        db.execute("select braid.add_tenant_member(%s, %s)", (tenant, name))
    try:
        yield names
    finally:
        db.execute("reset session authorization")
        for name in names:
            db.execute(f"drop owned by {name}")
            db.execute(f"drop role {name}")


WRONG: list[tuple[Any, str]] = [
    ({}, "option profile is {}"),
    ({"weight": 1}, "option profile is"),
    ("", 'option profile: name is ""'),
    ({"name": 7}, "option profile: name is 7"),
    ({"nane": "ana"}, 'option profile: nane is "ana"'),
    ({"name": "ana", "weight": -1}, "option profile: weight is -1"),
    ({"name": "ana", "weight": "much"}, "option profile: weight is"),
    ({"embedding": 7}, "option profile: embedding is 7"),
    ({"embedding": ["x"]}, "option profile: embedding is no vector"),
    ({"embedding": []}, "option profile: embedding is no vector"),
    ({"embedding": [1, 2]}, "option profile: embedding has 2 dimensions"),
    ({"embedding": [0, 0, 0]}, "option profile: embedding is a zero vector"),
    ({"attributes": []}, "option profile: attributes is"),
    ({"attributes": {"category": 1}}, 'option profile: attributes: key "category" has 1'),
    ({"attributes": {"category": {"a": 2}}}, 'option profile: attributes: the weight of "a" under "category" is 2'),
    ({"attributes": {"importance": {"1": 1}}}, 'option profile: attributes: key "importance"'),
    ({"attributes": {"$or": {"a": 1}}}, 'option profile: attributes: key "\\$or"'),
    (7, "option profile is 7"),
]


@pytest.mark.parametrize(("profile", "message"), WRONG)
def test_what_is_no_profile_is_refused(filled: Connection, profile: Any, message: str) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=message) as error:
        search(filled, profile)
    assert error.value.diag.message_hint


@pytest.mark.parametrize(
    ("call", "state"),
    [
        ("set_profile('', '[1,0,0]', collection => 'small')", "22023"),
        ("set_profile(null, '[1,0,0]', collection => 'small')", "22023"),
        ("set_profile(repeat('x', 256), '[1,0,0]', collection => 'small')", "22023"),
        ("set_profile('ana')", "22023"),
        ("set_profile('ana', '[1,0]', collection => 'small')", "22023"),
        ("set_profile('ana', '[0,0,0]', collection => 'small')", "22023"),
        ("set_profile('ana', '[1,0,0]', collection => 'none')", "42704"),
        ("set_profile('ana', null, '{\"category\": {\"a\": 1.5}}')", "22023"),
        ("set_profile('ana', null, null)", "22023"),
        ("set_profile('ana', null, (select jsonb_object_agg(n, '{}'::jsonb) from generate_series(1, 9) n))", "54000"),
        (
            "set_profile('ana', null, jsonb_build_object('a', (select jsonb_object_agg(n, 1) from "
            "generate_series(1, 1001) n)))",
            "54000",
        ),
        ("learn_profile('ana', '{}', collection => 'small')", "22023"),
        ("learn_profile('ana', null, collection => 'small')", "22023"),
        ("learn_profile('ana', '{taste,null}', collection => 'small')", "22023"),
        ("learn_profile('ana', '{taste}', null, collection => 'small')", "22023"),
        ("learn_profile('ana', '{taste}', '{taste}', collection => 'small')", "22023"),
        ("learn_profile('ana', '{nowhere}', collection => 'small')", "22023"),
        ("learn_profile('ana', '{taste}', keys => '{importance}', collection => 'small')", "22023"),
        ("learn_profile('ana', '{taste}', keys => null, collection => 'small')", "22023"),
        ("learn_profile('ana', array(select n::text from generate_series(1, 1001) n), collection => 'small')", "54000"),
    ],
)
def test_wrong_calls_store_nothing(filled: Connection, call: str, state: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        filled.execute(f"select braid.{call}")
    assert error.value.sqlstate == state
    assert error.value.diag.message_hint
    assert one(filled, "select count(*) from braid_store.profiles") == 0


def test_vectors_of_a_shard_and_those_written_since(filled: Connection) -> None:
    """Vectors in a shard and vectors written since have the same likeness."""
    before = gained(filled, {"embedding": [0, 1, 0]})
    set_threshold(filled, 2, 3)
    maintain(filled)
    shard = one(filled, "select count(*) from braid_store.vector_shards where state = 'serving'")
    assert shard == 1
    assert gained(filled, {"embedding": [0, 1, 0]}) == pytest.approx(before, abs=1e-6)
    upsert(filled, [{"external_id": "late", "content": "text of late", "embedding": [0.6, 0.8, 0]}], "small")
    late = gained(filled, {"embedding": [0, 1, 0]})
    assert late["late"] > late["both"] > 0
    upsert(filled, [{"external_id": "bare", "content": "not embedded"}], "small")
    rows = filled.execute(
        "select external_id, boosts from braid.full_text_search('embedded', collection => 'small', options => %s)",
        (Jsonb({"profile": {"embedding": [0, 1, 0]}}),),
    ).fetchall()
    assert rows == [("bare", [{"signal": "profile", "value": None, "addend": 0}])]


def test_a_key_is_no_longer_than_those_of_metadata(filled: Connection) -> None:
    def store(length: int) -> None:
        attributes = Jsonb({"k" * length: {"v": 0.5}})
        filled.execute("select braid.set_profile('ana', attributes => %s, collection => 'small')", (attributes,))

    store(1024)
    assert search(filled, "ana")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="key") as refused:
        store(1025)
    assert "1,024 bytes" in str(refused.value.diag.message_hint)
