"""The statements that PostgREST 12 to 14 makes for RPC calls work through a login like its authenticator."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from core.isolation.world import Gateway, World, tenant_claims

CLAIMS = tenant_claims("alpha")


class Rpc:
    """Build PostgREST's statements from the catalog, as its schema cache does."""

    def __init__(self, world: World, gateway: Gateway) -> None:
        self.gateway = gateway
        self.arguments: dict[str, dict[str, str]] = {}
        self.volatile: dict[str, bool] = {}
        self.many: dict[str, bool] = {}
        self.composite: dict[str, bool] = {}
        rows = world.admin.execute(
            "select p.proname, p.provolatile = 'v', p.proretset, t.typtype = 'c' or p.proretset,"
            " (select jsonb_object_agg(a.name, format_type(p.proargtypes[(a.place - 1)::int], null) order by a.place)"
            "  from unnest(p.proargnames[:p.pronargs]) with ordinality a (name, place))"
            " from pg_proc p join pg_type t on t.oid = p.prorettype where p.pronamespace = 'braid'::regnamespace"
        )
        for name, volatile, many, composite, arguments in rows:
            self.arguments[name] = arguments or {}
            self.volatile[name] = volatile
            self.many[name] = many
            self.composite[name] = composite

    def post(self, function: str, body: dict[str, Any], **request: Any) -> Any:
        """Run POST /rpc/function: json_to_record takes the body, one JSON text, apart."""
        types = self.arguments[function]
        unknown = body.keys() - types.keys()
        assert not unknown, f"PGRST202: no function with the arguments {unknown}"
        if not body:
            call = f'select pgrst_call.* from "braid"."{function}"() pgrst_call'
            if not self.composite[function]:
                call = f'select "braid"."{function}"() pgrst_scalar'
            parameters: list[Any] = []
        else:
            names = ", ".join(f'"{name}"' for name in body)
            columns = ", ".join(f'"{name}" {types[name]}' for name in body)
            given = ", ".join(f'"{name}" := pgrst_body."{name}"' for name in body)
            chosen = "pgrst_call.*" if self.composite[function] else "pgrst_call.pgrst_scalar"
            called = (
                f'lateral "braid"."{function}"({given}) pgrst_call'
                if self.composite[function]
                else f'lateral (select "braid"."{function}"({given}) pgrst_scalar) pgrst_call'
            )
            call = (
                f"select {chosen} from (select %s::json as json_data) pgrst_payload, lateral (select {names}"
                f" from json_to_record(pgrst_payload.json_data) as _({columns}) limit 1) pgrst_body, {called}"
            )
            parameters = [json.dumps(body)]
        return self._run(function, call, parameters, **request)

    def get(self, function: str, query: dict[str, str], **request: Any) -> Any:
        """Run GET /rpc/function?name=value as PostgREST 13 and later do, with untyped literals and a cast."""
        types = self.arguments[function]
        given = ", ".join(f'"{name}" := %s::{types[name]}' for name in query)
        if self.composite[function]:
            call = f'select pgrst_call.* from "braid"."{function}"({given}) pgrst_call'
        else:
            call = f'select "braid"."{function}"({given}) pgrst_scalar'
        return self._run(function, call, list(query.values()), **{"read_only": True, **request})

    def _run(
        self,
        function: str,
        call: str,
        parameters: list[Any],
        role: str | None = None,
        claims: Any = CLAIMS,
        headers: Any = None,
        read_only: bool | None = None,
        select: str = "*",
        tail: str = "",
    ) -> Any:
        read_only = not self.volatile[function] if read_only is None else read_only
        if self.composite[function]:
            body = (
                "coalesce(json_agg(_postgrest_t), '[]')"
                if self.many[function]
                else "coalesce((json_agg(_postgrest_t)->0)::text, 'null')::json"
            )
        else:
            body = "coalesce(json_agg(_postgrest_t.pgrst_scalar)->0, 'null')"
        statement = (
            f"with pgrst_source as ({call}) select null::bigint as total_result_set, count(_postgrest_t)"
            f" as page_total, {body} as body,"
            " nullif(current_setting('response.headers', true), '') as response_headers,"
            " nullif(current_setting('response.status', true), '') as response_status"
            f" from (select {select} from pgrst_source {tail}) _postgrest_t"
        )
        with self.gateway.request(role or self.gateway.authenticated, claims, headers, read_only) as connection:
            ((_, _, body_found, *_),) = connection.execute(statement, parameters).fetchall()
        return body_found


@pytest.fixture(scope="module")
def rpc(world: World, gateway: Gateway) -> Rpc:
    return Rpc(world, gateway)


SEARCH = {"query_text": "customer discount", "collection": "small"}


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["external_id"] for row in rows]


def test_search_with_defaults_left_out(world: World, rpc: Rpc) -> None:
    rows = rpc.post("hybrid_search", SEARCH)
    assert sorted(ids(rows)) == ["doc1", "doc2"]
    assert {row["semantic_rank"] for row in rows} == {None}
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    columns = world.admin.execute(
        "select attname from pg_attribute where attrelid = 'braid.search_result'::regclass and attnum > 0"
        " order by attnum"
    ).fetchall()
    assert list(rows[0]) == [name for (name,) in columns]


@pytest.mark.parametrize(
    "options",
    [
        {"rank_by": {"similarity": 1, "recency": 0.5}},
        {"rank_by": ["similarity", "importance"]},
        {"min_relevance": "auto"},
        {"min_relevance": 0.1},
        {"ranking": {"smoothing": 0.5, "neighbour_weight": 0.3}},
        {"ranking": {"document_weight": 0.6, "question_penalty": 0.3, "speaker_weight": 0.15}},
        {"ranking": {"normalisation": "saturate", "saturate_at": 5}},
        {"ranking": {"statistics_scope": "auto"}},
    ],
    ids=json.dumps,
)
def test_ways_to_rank_in_a_body_and_in_a_url(rpc: Rpc, options: dict[str, Any]) -> None:
    request = {**SEARCH, "query_embedding": [1, 0, 0]}
    rows = rpc.post("hybrid_search", {**request, "options": options})
    assert rows and [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    url = {name: value if isinstance(value, str) else json.dumps(value) for name, value in request.items()}
    assert rpc.get("hybrid_search", {**url, "options": json.dumps(options)}) == rows
    name, value = next(iter(options.items()))
    with pytest.raises(psycopg.Error) as caught:
        rpc.post("hybrid_search", {**request, "options": {name: [value]}})
    assert caught.value.sqlstate == "22023" and caught.value.diag.message_hint


@pytest.mark.parametrize("embedding", [[1, 0, 0], "[1,0,0]", [1.0, 1e-9, 0]], ids=["array", "string", "floats"])
def test_an_embedding_is_an_array_or_a_string(rpc: Rpc, embedding: Any) -> None:
    rows = rpc.post("hybrid_search", {**SEARCH, "query_embedding": embedding})
    assert ids(rows)[0] == "doc1"
    assert rows[0]["semantic_rank"] == 1 and rows[0]["full_text_rank"] is not None
    assert ids(rpc.post("semantic_search", {"query_embedding": embedding, "collection": "small"}))[0] == "doc1"


def test_an_embedding_in_a_get_request(rpc: Rpc) -> None:
    rows = rpc.get("hybrid_search", {**SEARCH, "query_embedding": "[1,0,0]", "match_count": "1"})
    assert ids(rows) == ["doc1"]
    assert rpc.get("search_json", {**SEARCH, "filters": '{"speaker": "Ana"}'})["stats"]["returned_results"] == 1


@pytest.mark.parametrize(
    ("embedding", "code"),
    [
        ("{1,0,0}", "22P02"),
        ([1, None, 3], "22P02"),
        ([1, 0], "22023"),
        ([0, 0, 0], "22023"),
        ("[]", "22000"),
        ("x", "22P02"),
    ],
)
def test_wrong_embeddings_are_the_callers_errors(rpc: Rpc, embedding: Any, code: str) -> None:
    with pytest.raises(psycopg.errors.DataError) as caught:
        rpc.post("hybrid_search", {**SEARCH, "query_embedding": embedding})
    assert caught.value.sqlstate == code
    if code == "22023":
        assert caught.value.diag.message_hint


def test_filters_are_an_object(rpc: Rpc) -> None:
    assert ids(rpc.post("hybrid_search", {**SEARCH, "filters": {"speaker": "Ana"}})) == ["doc1"]
    assert rpc.post("hybrid_search", {**SEARCH, "filters": {"speaker": "Zoltan"}}) == []
    assert len(rpc.post("hybrid_search", {**SEARCH, "filters": None})) == 2


@pytest.mark.parametrize("argument", ["filters", "options"])
@pytest.mark.parametrize("value", ['{"speaker": "Ana"}', "[object Object]", [1], 17, True])
def test_json_that_is_no_object_is_refused_with_a_hint(rpc: Rpc, argument: str, value: Any) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=argument) as caught:
        rpc.post("hybrid_search", {**SEARCH, argument: value})
    assert caught.value.diag.message_hint


def test_documents_in_a_string_are_refused_with_a_hint(rpc: Rpc) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="documents") as caught:
        rpc.post("upsert_documents", {"documents": '[{"external_id": "x"}]', "collection": "small"})
    assert "array" in str(caught.value.diag.message_hint)


def test_search_json_carries_warnings(rpc: Rpc) -> None:
    answer = rpc.post("search_json", {**SEARCH, "query_embedding": [1, 0, 0]})
    assert answer.keys() == {"results", "stats", "warnings"}
    assert answer["stats"]["mode"] == "hybrid"
    assert [warning["code"] for warning in answer["warnings"]] == ["chunks_not_embedded"]


def test_select_order_and_limit_wrap_the_call(rpc: Rpc) -> None:
    rows = rpc.post(
        "full_text_search", SEARCH, select='"external_id"', tail='order by "external_id" desc limit 1 offset 0'
    )
    assert rows == [{"external_id": "doc2"}]


def test_reading_functions_run_in_a_read_only_transaction(rpc: Rpc) -> None:
    """Reading functions run in the read-only transaction that PostgREST opens for each function that is not volatile
    (see test_calls.py)."""
    assert rpc.get("status", {})["tenant"] == "alpha"
    assert isinstance(rpc.get("version", {}), str)
    assert rpc.post("semantic_search", {"query_embedding": [0, 1, 0], "collection": "small"}, read_only=True)


def test_a_write_by_get_is_refused_by_the_transaction(rpc: Rpc) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        rpc.get("delete_document", {"external_id": "doc1", "collection": "small"})


def test_a_document_is_written_replaced_and_deleted(world: World, rpc: Rpc) -> None:
    before = world.fingerprint("beta")
    body = {
        "external_id": "p1",
        "content": "Pelicans carry fish.",
        "title": "Birds",
        "metadata": {"year": 2026},
        "occurred_at": "2026-03-01T12:00:00Z",
        "importance": 0.5,
        "embedding": [0, 0, 1],
        "collection": "small",
    }
    assert rpc.post("upsert_document", body)["status"] == "inserted"
    assert rpc.post("upsert_document", body)["status"] == "unchanged"
    found = rpc.post("hybrid_search", {"query_text": "pelican", "query_embedding": [0, 0, 1], "collection": "small"})[0]
    assert (found["external_id"], found["metadata"], found["importance"]) == ("p1", {"year": 2026}, 0.5)
    chunked = {
        "external_id": "p1",
        "chunks": [{"content": "one", "embedding": [1, 1, 0]}, {"content": "two"}],
        "collection": "small",
    }
    assert rpc.post("upsert_document", chunked)["chunk_count"] == 2
    turns = [{"speaker": "Ana", "start": 1, "text": "A pelican?"}, {"speaker": "Ben", "text": "A heron."}]
    told = {"external_id": "p1", "turns": turns, "overlap_tokens": 0, "collection": "small"}
    assert rpc.post("upsert_document", told)["chunk_count"] == 1
    body = {"query_text": "pelican", "filters": {"speakers": "Ben"}, "collection": "small"}
    (found,) = rpc.post("full_text_search", body)
    assert (found["content"], found["speaker"]) == ("Ana: A pelican?\nBen: A heron.", "Ana, Ben")
    assert found["metadata"] == {"start": 1, "speakers": ["Ana", "Ben"]}
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="turns and also content"):
        rpc.post("upsert_document", {**told, "content": "A heron."})
    assert rpc.post("upsert_document", chunked)["status"] == "replaced"
    many = rpc.post(
        "upsert_documents", {"documents": [{"external_id": "p2", "content": "A heron."}], "collection": "small"}
    )
    assert [(row["external_id"], row["status"]) for row in many] == [("p2", "inserted")]
    assert rpc.post("upsert_documents", {"documents": [], "collection": "small"}) == []
    assert rpc.post("update_metadata", {"external_id": "p2", "metadata": {"k": 1}, "collection": "small"}) is True
    jobs = rpc.post("claim_embedding_jobs", {"collection": "small", "lease": "1 second"})
    assert {job["input"] for job in jobs} >= {"two", "A heron."}
    stored = {"chunk_ids": [jobs[0]["chunk_id"]], "embeddings": ["[1,0,0]"], "collection": "small"}
    assert rpc.post("store_embeddings", stored) == 1
    assert (
        rpc.post("fail_embedding_jobs", {"chunk_ids": [jobs[1]["chunk_id"]], "error": "no", "collection": "small"}) == 1
    )
    for external_id in ("p1", "p2"):
        assert rpc.post("delete_document", {"external_id": external_id, "collection": "small"}) is True
    assert rpc.post("delete_document", {"external_id": "p1", "collection": "small"}) is False
    assert world.fingerprint("beta") == before


def test_each_tenant_is_served_its_own(rpc: Rpc) -> None:
    everything = {"query_text": "zebrafish customer discount prices", "match_count": 100, "collection": "small"}
    assert "beta-only" not in ids(rpc.post("hybrid_search", everything))
    assert "beta-only" in ids(rpc.post("hybrid_search", everything, claims=tenant_claims("beta")))
    header = {"x-braid-tenant": "beta"}
    assert "beta-only" in ids(
        rpc.post("hybrid_search", everything, role=rpc.gateway.service_role, claims={}, headers=header)
    )


def test_a_request_leaves_nothing_behind_for_the_next(rpc: Rpc) -> None:
    assert rpc.post("status", {}, claims=tenant_claims("beta"))["tenant"] == "beta"
    assert rpc.gateway.connection.execute(
        "select current_user::text = session_user::text, nullif(current_setting('request.jwt.claims', true), ''),"
        " braid_tenant from (select nullif(current_setting('braid.tenant', true), '') as braid_tenant) s"
    ).fetchone() == (True, None, None)


@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
def test_without_a_tenant_every_role_is_refused_with_a_hint(rpc: Rpc, role: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant") as caught:
        rpc.post("hybrid_search", SEARCH, role=getattr(rpc.gateway, role), claims={})
    assert "PostgREST" in str(caught.value.diag.message_hint)


def test_who_reads_may_not_write(rpc: Rpc) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        rpc.post("upsert_document", {"external_id": "x", "content": "y"}, role=rpc.gateway.anon)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
        rpc.post("create_tenant", {"tenant": "mine"})


def test_names_decide_which_function_is_called(rpc: Rpc) -> None:
    """PostgREST chooses a function by argument names alone: two functions of one name would give status 300."""
    for function, arguments in rpc.arguments.items():
        assert len(set(arguments)) == len(arguments), function
        assert not any(name.startswith(("p_", "_", "v_")) for name in arguments), function
