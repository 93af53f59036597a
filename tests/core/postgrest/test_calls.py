"""Signed tokens of two tenants call every function of the API through a real PostgREST."""

from __future__ import annotations

import json
import re
from typing import Any

import psycopg
import pytest
from core.isolation.world import Gateway as Roles
from core.isolation.world import World
from core.postgrest.calls import CALLS, SMALL, TEXT, VECTOR, WITHOUT_TENANT, Body, Caller

from support.api import ADMINISTRATIVE, API, LOGGED, OBJECTS
from support.postgrest import Gateway, token_for

pytestmark = [pytest.mark.any_version, pytest.mark.long]
# These words are in the tenants' documents; see documents().
OWN_WORDS = re.compile("(?:alpha|beta)(?:secret|speaker|owner)?")


@pytest.fixture(scope="module")
def volatile(world: World) -> dict[str, bool]:
    """Return for each function whether it may write."""
    rows = world.admin.execute(
        "select proname, provolatile = 'v' from pg_proc where pronamespace = 'braid'::regnamespace and prokind = 'f'"
    )
    return dict(rows.fetchall())


def other_than(tenant: str) -> str:
    return "beta" if tenant == "alpha" else "alpha"


@pytest.mark.parametrize("function", CALLS)
def test_post(http: Gateway, caller: Caller, tokens: dict[bool, str], function: str) -> None:
    call = CALLS[function]
    answer = http.post(function, call.body_for(caller), tokens[function in ADMINISTRATIVE])
    # A function without a result answers 204. The access of a document that everyone reads is a null.
    assert answer.status == (204 if answer.data is None and function != "document_access" else 200), answer
    assert call.expected(answer.data, caller), answer
    if function not in ("embedding_backlog", "embedding_usage"):  # these are about all tenants
        assert OWN_WORDS.findall(json.dumps(answer.data).replace(caller.tenant, "")) == []


@pytest.mark.parametrize("function", CALLS)
def test_get(http: Gateway, caller: Caller, tokens: dict[bool, str], volatile: dict[str, bool], function: str) -> None:
    """Reading functions answer a GET as they answer a POST, and a read-only transaction refuses writes. Arguments of
    type jsonb are refused before, because PostgREST passes them as a string."""
    call = CALLS[function]
    body = call.body_for(caller)
    answer = http.get(function, in_query(body), tokens[function in ADMINISTRATIVE])
    json_given = any(isinstance(value, dict) or has_objects(value) for value in body.values())
    # A search that cannot be logged is still answered.
    if (volatile[function] and function not in LOGGED) or json_given:
        at_rest = ("maintain", "apply_changes", "check_sync", "judgments_from_clicks", "measure_index_recall")
        if function in at_rest and answer.status == 200:
            return  # There is nothing to write.
        assert (answer.status, answer.code) == ((400, "22023") if json_given else (405, "25006")), answer
        return
    if function == "fuse" or function.endswith("multi_search"):  # their lists and queries are jsonb, too
        assert (answer.status, answer.code) == (400, "22023")
        return
    assert answer.status == 200, answer
    assert call.expected(answer.data, caller), answer
    posted = http.post(function, body, tokens[function in ADMINISTRATIVE])
    assert without_time(answer.data) == without_time(posted.data)


def in_query(body: Body) -> dict[str, str]:
    """Return arguments as a URL carries them: a vector and jsonb as JSON, other arrays in PostgreSQL's notation."""

    def text(name: str, value: Any) -> str:
        if isinstance(value, list) and not name.endswith("embedding") and not has_objects(value):
            return "{" + ",".join(map(json.dumps, value)) + "}"
        return value if isinstance(value, str) else json.dumps(value)

    return {name: text(name, value) for name, value in body.items()}


def has_objects(value: Any) -> bool:
    return isinstance(value, list) and isinstance(value[0], dict)


def without_time(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: without_time(value) for key, value in answer.items() if not key.endswith("_ms")}
    return [without_time(value) for value in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("function", CALLS)
def test_a_stranger_is_refused(http: Gateway, caller: Caller, function: str) -> None:
    """A call without a token is refused, and so is a user's call of an administrators' function."""
    body = CALLS[function].body_for(caller)
    answer = http.post(function, body)
    if function in WITHOUT_TENANT:
        assert answer.status == 200
        return
    assert (answer.status, answer.code) == (401, "42501"), answer


@pytest.mark.parametrize("function", sorted(ADMINISTRATIVE))
def test_a_user_does_not_administer(http: Gateway, caller: Caller, tokens: dict[bool, str], function: str) -> None:
    answer = http.post(function, CALLS[function].body_for(caller), tokens[False])
    assert (answer.status, answer.code) == (403, "42501"), answer


@pytest.mark.parametrize("embedding", [[0, 1, 0], "[0,1,0]", [0.0, 1.0, 1e-9]], ids=["array", "string", "floats"])
@pytest.mark.parametrize("function", ["hybrid_search", "semantic_search", "search_json"])
def test_a_vector_is_an_array_or_a_string(
    http: Gateway, tokens: dict[bool, str], function: str, embedding: Any
) -> None:
    answer = http.post(function, {**VECTOR, "query_embedding": embedding, "match_count": 1}, tokens[False])
    rows = answer.data["results"] if function == "search_json" else answer.data
    assert [(row["external_id"], row["semantic_rank"]) for row in rows] == [("doc2", 1)]


def test_a_vector_of_full_length_in_a_url(http: Gateway, tokens: dict[bool, str]) -> None:
    embedding = json.dumps([0.123456789 + n / 1000 for n in range(384)])
    answer = http.get("semantic_search", {"query_embedding": embedding}, tokens[False])
    assert (answer.status, answer.data) == (200, [])


def test_filters_are_an_object(http: Gateway, tokens: dict[bool, str], tenant: str) -> None:
    for filters, expected in (
        ({"speaker": f"{tenant}speaker"}, ["doc1"]),
        ({"speaker": f"{other_than(tenant)}speaker"}, []),
        ({"$or": [{"external_id": "doc2"}, {"speaker": {"$exists": True}}]}, ["doc1", "doc2"]),
    ):
        answer = http.post("hybrid_search", {**TEXT, "filters": filters}, tokens[False])
        assert sorted(row["external_id"] for row in answer.data) == expected


@pytest.mark.parametrize("argument", ["filters", "options"])
@pytest.mark.parametrize("value", ['{"speaker": "Ana"}', "[object Object]", [1], 17])
def test_json_that_is_no_object_is_refused_with_a_hint(
    http: Gateway, tokens: dict[bool, str], argument: str, value: Any
) -> None:
    for function in ("hybrid_search", "search_json", "full_text_search"):
        answer = http.post(function, {**TEXT, argument: value}, tokens[False])
        assert (answer.status, answer.code) == (400, "22023")
        assert argument in answer.data["message"] and answer.data["hint"]


def test_an_array_of_texts_is_no_query(http: Gateway, tokens: dict[bool, str]) -> None:
    for function in {"recall", "recall_json", "hybrid_search", "logged_search", "facets", "embedded_text"} & API.keys():
        more = {"keys": ["speaker"]} if function == "facets" else {}
        answer = http.post(function, {"query_text": ["database", "query performance"], **more}, tokens[False])
        assert (answer.status, answer.code) == (400, "22023"), function
        assert "array of 2 texts" in answer.data["message"] and "multi_search" in answer.data["hint"]


def test_json_in_a_url_is_refused_with_a_hint(http: Gateway, tokens: dict[bool, str]) -> None:
    """PostgREST 12 turns JSON in a URL into a string, which would match nothing, so it is refused with a hint."""
    answer = http.get("hybrid_search", {**TEXT, "filters": '{"speaker": "Ana"}'}, tokens[False])
    assert (answer.status, answer.code) == (400, "22023")
    assert "filters" in answer.data["message"] and "POST" in answer.data["hint"]


def test_unknown_arguments_are_no_function(http: Gateway, tokens: dict[bool, str]) -> None:
    answer = http.post("hybrid_search", {**TEXT, "limit": 3}, tokens[False])
    assert (answer.status, answer.code) == (404, "PGRST202")


def test_columns_order_and_pages_of_the_answer(http: Gateway, tokens: dict[bool, str]) -> None:
    query = "select=external_id,full_text_rank&order=external_id.desc&limit=1"
    answer = http.post("full_text_search", TEXT, tokens[False], query, Prefer="count=exact")
    assert (answer.status, answer.data) == (206, [{"external_id": "doc2", "full_text_rank": 1}])
    assert answer.headers["Content-Range"] == "0-0/2"
    second = http.post("full_text_search", TEXT, tokens[False], query + "&offset=1", Prefer="count=exact")
    assert [row["external_id"] for row in second.data] == ["doc1"]
    assert second.headers["Content-Range"] == "1-1/2"
    assert http.post("full_text_search", TEXT, tokens[False], "external_id=eq.doc1&select=id:external_id").data == [
        {"id": "doc1"}
    ]
    counted = http.post("full_text_search", TEXT, tokens[False], Prefer="count=exact")
    assert (counted.status, counted.headers["Content-Range"]) == (200, "0-1/2")


def test_one_row_as_an_object(http: Gateway, tokens: dict[bool, str]) -> None:
    accept = {"Accept": "application/vnd.pgrst.object+json"}
    answer = http.post("full_text_search", {**TEXT, "match_count": 1}, tokens[False], **accept)
    assert answer.data["external_id"] == "doc2"
    assert http.post("full_text_search", TEXT, tokens[False], **accept).code == "PGRST116"


def test_a_view_is_read(http: Gateway, tokens: dict[bool, str]) -> None:
    answer = http.read("collections", "select=name,dimensions&name=eq.small", tokens[False])
    assert answer.data == [{"name": "small", "dimensions": 3}]


COLUMNS_OF_VIEWS = {
    "collections": "name",
    "synonyms": "collection",
    "model_changes": "collection",
    "storage": "table_name",
    "index_health": "collection",
}


COLUMNS = {view: column for view, column in COLUMNS_OF_VIEWS.items() if f"braid.{view}" in OBJECTS}


@pytest.mark.parametrize("view", COLUMNS)
def test_a_view_is_not_written(http: Gateway, gateway: Roles, administrator: str, view: str) -> None:
    """Nobody writes to a view, not even an administrator: functions exist for this, and a 500 would be no caller's
    error."""
    column = COLUMNS[view]
    roles = {gateway.anon: 401, gateway.authenticated: 403, gateway.service_role: 403, administrator: 403}
    for role, refused in roles.items():
        token = None if role == gateway.anon else token_for("alpha", role)
        for method, query, body, headers in (
            ("POST", "", {column: "new"}, {}),
            ("POST", "", [{column: "new"}, {column: "newer"}], {"Prefer": "return=representation"}),
            ("POST", "", {column: "new"}, {"Prefer": "resolution=merge-duplicates"}),
            ("PATCH", f"{column}=eq.small", {column: "new"}, {}),
            ("PATCH", f"{column}=eq.nothing", {column: "new"}, {}),
            ("DELETE", f"{column}=eq.small", None, {}),
        ):
            answer = http.send(method, view, query, body, token, **headers)
            assert (answer.status, answer.code) == (refused, "42501"), (role, method, answer)
        answer = http.send("PUT", view, f"{column}=eq.small", {column: "small"}, token)
        assert answer.status == 405, answer


def test_who_owns_a_view_is_told_the_function(world: World) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="synonyms") as caught:
        world.admin.execute("insert into braid.synonyms values ('small', 'car', '{auto}')")
    assert caught.value.diag.message_hint == "Call braid.set_synonyms."


def test_what_a_request_wrote_the_next_one_finds(
    http: Gateway, gateway: Roles, caller: Caller, tokens: dict[bool, str]
) -> None:
    name = caller.new_document(content="Cormorants and their price", embedding=[0, 0, 1])
    try:
        found = http.post("hybrid_search", {"query_text": "cormorant", **SMALL}, tokens[False]).data
        assert [row["external_id"] for row in found] == [name]
        other = token_for("beta" if caller.tenant == "alpha" else "alpha", gateway.authenticated)
        assert http.post("hybrid_search", {"query_text": "cormorant", **SMALL}, other).data == []
    finally:
        caller.as_user("delete_document", {"external_id": name, **SMALL})
