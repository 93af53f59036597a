"""List a call of each API function as a client of PostgREST makes it.

For functions whose example is not enough, SPECIAL has the body of a request, or a function that prepares the data and
returns the body. It also has a check of the answer.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.api import API, arguments, example, value

Body = dict[str, Any]


def synced(caller: Caller) -> Body:
    return {"table_name": "public.synced", "content": ["body"], "tenant": caller.tenant}


@dataclass(frozen=True)
class Caller:
    """Hold the caller's tenant, and the values that calls take from its data."""

    tenant: str
    tenant_id: int
    chunk_id: int
    login: str
    as_user: Callable[[str, Body], Any]
    as_administrator: Callable[[str, Body], Any]

    def ranked_collection(self) -> str:
        """Create a collection of the caller's own, and change its ranking."""
        name = self.new_collection()
        self.as_administrator("set_ranking", {"collection": name, "ranking": {"k1": 2}})
        return name

    def new_collection(self, *calls: str) -> str:
        """Create a collection of the caller's own, and call these API functions on it."""
        name = new_name()
        self.as_administrator("create_collection", {"collection": name, "dimensions": 3, "embedding_model": "test"})
        for function in calls:
            if function == "start_model_change":
                self.as_administrator(function, {"collection": name, "embedding_model": "other", "dimensions": 4})
                self.as_administrator("maintain", {"time_budget": "1 second"})
            else:
                self.as_administrator(function, {"collection": name})
        return name

    def with_token_vectors(self, collection: str | None = None) -> str:
        name = collection or self.new_collection()
        self.as_administrator("set_token_vectors", {"collection": name, "embedding_model": "test"})
        return name

    def new_embedder(self) -> str:
        name = new_name()
        self.as_administrator("set_static_embedder", {"name": name, "tokens": ["heron"], "embeddings": ["[1]"]})
        return name

    def storing_queries(self, *texts: str) -> str:
        name = self.new_collection()
        self.as_administrator("set_query_embeddings", {"collection": name})
        for text in texts:
            body = {"embedded_text": text, "embedding": [0, 1, 0], "collection": name}
            self.as_user("store_query_embedding", body)
        return name

    def logged(self) -> Body:
        """Search a collection with a search log, and return the search's id and its result."""
        name = self.new_collection("set_search_log")
        document = self.new_document(collection=name)
        answer = self.as_user("logged_search", {"query_text": "heron", "collection": name})
        return {"search_id": answer["stats"]["search_id"], "external_id": document}

    def synced_table(self) -> str:
        self.as_administrator("sync_table", synced(self))
        return "public.synced"

    def new_tenant(self) -> str:
        name = new_name()
        self.as_administrator("create_tenant", {"tenant": name})
        return name

    def new_document(self, **fields: Any) -> str:
        name = new_name()
        self.as_user("upsert_document", {"external_id": name, "content": "A heron.", **SMALL, **fields})
        return name

    def new_document_in(self, collection: str) -> str:
        self.new_document(collection=collection)
        return collection

    def claimed(self) -> int:
        """Claim an embedding job, and return its chunk's id."""
        document = self.new_document(content=new_name())
        jobs = self.as_user("claim_embedding_jobs", {"job_count": 1000, **SMALL})
        assert jobs, f"{document} has no job"
        return int(max(job["chunk_id"] for job in jobs))


@dataclass(frozen=True)
class Call:
    body: Body | Callable[[Caller], Body]
    expected: Callable[[Any, Caller], bool]

    def body_for(self, caller: Caller) -> Body:
        return self.body(caller) if callable(self.body) else self.body


MODEL = {"version": 1, "mode": "hybrid", "features": ["score"], "weights": [0.25]}


def new_name() -> str:
    return f"http_{uuid.uuid4().hex[:8]}"


def new_profile(caller: Caller) -> str:
    name = new_name()
    caller.as_user("set_profile", {"profile": name, "embedding": [0, 1, 0], **SMALL})
    return name


def new_query_set(caller: Caller) -> str:
    """Create a query set with two judged queries, and return its name."""
    name = new_name()
    queries = [{"query_id": "1", "text": "discount"}, {"query_id": "2", "text": "customer"}]
    judgments = [
        {"query_id": "1", "external_id": "doc1", "grade": 2},
        {"query_id": "2", "external_id": "doc2", "grade": 1},
    ]
    caller.as_user("create_query_set", {"query_set": name})
    caller.as_user("store_queries", {"query_set": name, "queries": queries, **READ})
    caller.as_user("store_judgments", {"query_set": name, "judgments": judgments})
    return name


def with_query_set(caller: Caller) -> Body:
    new_query_set(caller)
    return {}


def twice_judged(caller: Caller) -> str:
    name = new_query_set(caller)
    again = [{"query_id": "1", "external_id": "doc1", "grade": 1, "judge": "ana"}]
    caller.as_user("store_judgments", {"query_set": name, "judgments": again})
    return name


def new_model(caller: Caller) -> str:
    name = new_name()
    caller.as_user("store_ranking_model", {"name": name, "model": MODEL})
    return name


def with_model(caller: Caller) -> Body:
    new_model(caller)
    return {}


def tuning_set(caller: Caller) -> str:
    """Create a query set with the 20 queries that tuning needs, and return its name."""
    name = new_name()
    queries = [{"query_id": f"{n}", "text": "discount"} for n in range(20)]
    judgments = [{"query_id": f"{n}", "external_id": "doc1", "grade": 1} for n in range(20)]
    caller.as_user("create_query_set", {"query_set": name})
    caller.as_user("store_queries", {"query_set": name, "queries": queries, **READ})
    caller.as_user("store_judgments", {"query_set": name, "judgments": judgments})
    return name


def tuned(caller: Caller) -> Body:
    configuration = {"mode": "full_text", **READ}
    return {"query_set": tuning_set(caller), "search_space": {"k1": [2]}, "configuration": configuration}


def evaluated(caller: Caller, query_set: str) -> Any:
    return caller.as_user("evaluate", {"query_set": query_set, "configuration": {"mode": "full_text", **READ}})


def compared(caller: Caller) -> Body:
    query_set = new_query_set(caller)
    return {"baseline": evaluated(caller, query_set), "candidate": evaluated(caller, query_set)}


def found(*external_ids: str) -> Callable[[Any, Caller], bool]:
    return lambda rows, _: [row["external_id"] for row in rows] == list(external_ids)


def equal(value: Any) -> Callable[[Any, Caller], bool]:
    return lambda answer, _: bool(answer == value)


def an_integer(answer: Any, _: Caller) -> bool:
    return isinstance(answer, int) and answer > 0


def administrators(*calls: str) -> Call:
    """Return a call of an administrators' function that returns nothing, on a collection on which `calls` were made."""
    return Call(lambda caller: {"collection": caller.new_collection(*calls)}, equal(None))


# Calls read and write different collections.
SMALL: Body = {"collection": "small"}
READ: Body = {"collection": "read"}
TEXT: Body = {"query_text": "discount customer keep", **READ}
VECTOR: Body = {"query_embedding": [0, 1, 0], **READ}


def documents(tenant: str) -> list[Body]:
    """Return each tenant's documents in the collection `read`; words with the tenant's name are its own."""
    return [
        {
            "external_id": "doc1",
            "content": f"Price objections of the customer, who asked {tenant}secret for a discount.",
            "speaker": f"{tenant}speaker",
            "metadata": {"year": 2024, "owner": f"{tenant}owner"},
            "embedding": [1, 0, 0],
        },
        {"external_id": "doc2", "content": "A discount was given to keep the customer.", "embedding": [0, 1, 0.1]},
        {"external_id": "doc3", "content": "Roadmap: nothing about prices here."},
    ]


# These functions read no tenant's data.
WITHOUT_TENANT = {"version", "current_tenant_id"}

SPECIAL = {
    "hybrid_search": Call({**TEXT, **VECTOR, "match_count": 2}, found("doc2", "doc1")),
    "full_text_search": Call({**TEXT, "match": "all"}, found("doc2")),
    "semantic_search": Call({**VECTOR, "match_count": 1}, found("doc2")),
    "search_json": Call(
        {**TEXT, **VECTOR, "match_count": 1},
        lambda answer, _: (
            answer["results"][0]["external_id"] == "doc2"
            and [warning["code"] for warning in answer["warnings"]] == ["chunks_not_embedded"]
        ),
    ),
    "logged_search": Call(
        {**TEXT, **VECTOR, "match_count": 1},
        lambda answer, _: answer["results"][0]["external_id"] == "doc2" and "search_id" not in answer["stats"],
    ),
    "set_search_log": Call(lambda caller: {"collection": caller.new_collection()}, equal(None)),
    "record_feedback": Call(lambda caller: {**caller.logged(), "kind": "click"}, equal(True)),
    "recall": Call({**TEXT, **VECTOR, "match_count": 2}, found("doc2", "doc1")),
    "recall_json": Call(
        {**TEXT, **VECTOR, "match_count": 1, "reference_time": "2026-01-01T00:00:00Z"},
        lambda answer, _: answer["results"][0]["external_id"] == "doc2",
    ),
    "logged_recall": Call(
        {**TEXT, **VECTOR, "match_count": 1, "reference_time": "2026-01-01T00:00:00Z"},
        lambda answer, _: answer["results"][0]["external_id"] == "doc2" and "search_id" not in answer["stats"],
    ),
    "conversation_timeline": Call({"topic": "keep", **READ}, found("doc2")),
    "extract_timeframe": Call(
        {"query_text": "discounts in March 2025", "time_zone": "UTC"},
        lambda rows, _: rows[0]["timeframe"] == '{["2025-03-01 00:00:00+00","2025-04-01 00:00:00+00")}',
    ),
    "multi_search": Call(
        {"queries": ["discount customer keep", {"embedding": [0, 1, 0]}], "match_count": 1, **READ},
        lambda answer, _: [row["external_id"] for row in answer["results"]] == ["doc2"],
    ),
    "logged_multi_search": Call(
        {"queries": ["discount customer keep", {"embedding": [0, 1, 0]}], "match_count": 1, **READ},
        lambda answer, _: [row["external_id"] for row in answer["results"]] == ["doc2"],
    ),
    "parse_timeframe": Call(
        {"timeframe": "2025-03", "time_zone": "UTC"},
        lambda rows, _: rows[0]["starts_at"].startswith("2025-03-01"),
    ),
    "explain_search": Call({**TEXT, **VECTOR, "external_id": "doc2"}, lambda answer, _: "returned" in str(answer)),
    "facets": Call(
        {"keys": ["external_id"], "query_text": "keep", **READ},
        lambda rows, _: rows == [{"key": "external_id", "value": "doc2", "count": 1}],
    ),
    "similar_chunks": Call(lambda caller: {"chunk_id": caller.chunk_id}, found("doc1")),
    "similar_documents": Call({"external_id": "doc2", "match_count": 1, **READ}, found("doc1")),
    "get_document": Call(
        {"external_id": "doc2", **READ},
        lambda document, _: (
            [chunk["content"] for chunk in document["chunks"]] == ["A discount was given to keep the customer."]
        ),
    ),
    "list_documents": Call({"match_count": 2, **READ}, found("doc1", "doc2")),
    "grep": Call(
        {"pattern": "discount w", **READ},
        lambda answer, _: [match["external_id"] for match in answer["matches"]] == ["doc2"],
    ),
    "list_values": Call(READ, lambda rows, _: all("key" in row for row in rows)),
    "set_profile": Call(
        {"profile": "ana", "embedding": [0, 1, 0], "attributes": {"category": {"faq": 0.5}}, **SMALL}, equal(None)
    ),
    "learn_profile": Call(
        lambda caller: {"profile": new_name(), "liked": [caller.new_document(embedding=[0, 1, 0])], **SMALL},
        lambda answer, _: answer["liked"] == answer["embedded"] == 1,
    ),
    "get_profile": Call(
        lambda caller: {"profile": new_profile(caller)}, lambda answer, _: answer["embedding"] == [0, 1, 0]
    ),
    "list_profiles": Call(
        lambda caller: {"match_count": 1, "after": new_profile(caller)[:-1]},
        lambda rows, _: rows[0]["embedding_model"] == "test",
    ),
    "delete_profile": Call(lambda caller: {"profile": new_profile(caller)}, equal(True)),
    "create_query_set": Call(lambda caller: {"query_set": new_name()}, equal(True)),
    "store_queries": Call(
        lambda caller: {
            "query_set": new_query_set(caller),
            "queries": [{"query_id": "3", "text": "keep", "embedding": [0, 1, 0], "filters": {"speaker": "Ana"}}],
            **READ,
        },
        equal(1),
    ),
    "store_judgments": Call(
        lambda caller: {
            "query_set": new_query_set(caller),
            "judgments": [{"query_id": "1", "external_id": "doc1", "grade": 3}],
        },
        equal({"stored": 0, "replaced": 1, "unchanged": 0, "removed": 0}),
    ),
    "list_query_sets": Call(with_query_set, lambda rows, _: ["default"] in [row["judges"] for row in rows]),
    "list_queries": Call(
        lambda caller: {"query_set": new_query_set(caller), "after": "1"},
        lambda rows, _: [row["query_text"] for row in rows] == ["customer"],
    ),
    "list_judgments": Call(
        lambda caller: {"query_set": new_query_set(caller), "query_id": "1"},
        lambda rows, _: [(row["external_id"], row["grade"]) for row in rows] == [("doc1", 2)],
    ),
    "drop_query_set": Call(lambda caller: {"query_set": new_query_set(caller)}, equal(True)),
    "tune": Call(tuned, lambda answer, _: [tried["changes"] for tried in answer["tried"]] == [{}, {"k1": 2}]),
    "plan_tuning": Call(tuned, lambda rows, _: [row["changes"] for row in rows] == [{}, {"k1": 2}]),
    "choose_configuration": Call(
        lambda caller: {"evaluations": [evaluated(caller, tuning_set(caller))] * 2},
        lambda answer, _: answer["held_out"]["gain"] == 0,
    ),
    "evaluate": Call(
        lambda caller: {"query_set": new_query_set(caller), "configuration": {"mode": "full_text", **READ}},
        lambda answer, _: answer["counts"]["queries"] == 2 and 0 < answer["metrics"]["ndcg@10"] <= 1,
    ),
    "pool_results": Call(
        lambda caller: {
            "query_set": new_query_set(caller),
            "configurations": [{"mode": "full_text", **READ}],
            "judge": "default",
        },
        lambda rows, _: rows and ("1", "doc1") not in [(row["query_id"], row["external_id"]) for row in rows],
    ),
    "judge_agreement": Call(
        lambda caller: {"query_set": twice_judged(caller), "judge": "ana", "reference": "default"},
        lambda answer, _: answer["judged_by_both"] == 1 and answer["equal"] == 0 and answer["relevant_equal"] == 1,
    ),
    "ranking_features": Call(
        lambda caller: {"query_set": new_query_set(caller), "configuration": {"mode": "full_text", **READ}},
        lambda rows, _: (
            {row["query_id"] for row in rows} == {"1", "2"} and rows[0]["features"]["score"] == rows[0]["score"]
        ),
    ),
    "store_ranking_model": Call(lambda caller: {"name": new_name(), "model": MODEL}, equal(True)),
    "get_ranking_model": Call(lambda caller: {"name": new_model(caller)}, equal(MODEL)),
    "list_ranking_models": Call(with_model, lambda rows, _: rows[0]["features"] == ["score"]),
    "drop_ranking_model": Call(lambda caller: {"name": new_model(caller)}, equal(True)),
    "sample_queries": Call(lambda caller: {"query_set": new_query_set(caller), **READ}, lambda answer, _: answer >= 0),
    "judgments_from_clicks": Call(
        lambda caller: {"query_set": new_query_set(caller), **READ},
        lambda answer, _: answer.keys() == {"stored", "replaced", "unchanged", "removed", "searches", "left_out"},
    ),
    "compare_evaluations": Call(compared, lambda answer, _: answer["metrics"]["map@10"]["ties"] == 2),
    "health": Call(
        {"older_than": "1 day"},
        lambda rows, _: all(
            set(row) == {"severity", "code", "subject", "finding", "reason", "command"} for row in rows
        ),
    ),
    "highlight": Call(
        lambda caller: {"chunk_id": caller.chunk_id, "query_text": "discount"},
        lambda html, _: "<mark>discount</mark>" in html,
    ),
    "explain_score": Call(
        lambda caller: {"query_text": "discount", "chunk_ids": [caller.chunk_id], **READ},
        lambda rows, caller: [(row["chunk_id"], row["lexeme"]) for row in rows] == [(caller.chunk_id, "discount")],
    ),
    "fuse": Call(
        {"lists": [["a", "b"], {"items": [{"id": "b", "score": 1}], "weight": 2}], "rrf_k": 0},
        lambda rows, _: [(row["id"], row["score"]) for row in rows] == [("b", 2.5), ("a", 1)],
    ),
    "arrange_results": Call(
        lambda caller: {"chunk_ids": [caller.chunk_id], "scores": [0.5], **READ},
        lambda rows, _: [(row["external_id"], row["score"]) for row in rows] == [("doc2", 0.5)],
    ),
    "arrange_context": Call(
        lambda caller: {"chunk_ids": [caller.chunk_id], "scores": [0.5], **READ},
        lambda rows, _: [(row["external_id"], row["score"]) for row in rows] == [("doc2", 0.5)],
    ),
    "assemble_context": Call({**TEXT, **VECTOR, "match_count": 1}, found("doc2")),
    "upsert_document": Call(
        lambda _: {"external_id": new_name(), "content": "Pelicans.", "embedding": [0, 0, 1], **SMALL},
        lambda row, _: row["status"] == "inserted",
    ),
    "upsert_documents": Call(
        lambda _: {"documents": [{"external_id": new_name(), "chunks": [{"content": "Gulls."}]}], **SMALL},
        lambda rows, _: [row["status"] for row in rows] == ["inserted"],
    ),
    "upsert_embedded_documents": Call(
        lambda _: {
            "documents": [{"external_id": new_name(), "content": "Terns.", "embedding": 1}],
            "embeddings": ["[0,0,1]"],
            **SMALL,
        },
        lambda rows, _: [row["status"] for row in rows] == ["inserted"],
    ),
    "supersede_documents": Call(
        lambda caller: {
            "documents": [{"external_id": new_name(), "content": "Petrels."}],
            "collection": caller.new_collection("set_validity"),
        },
        lambda rows, _: [row["status"] for row in rows] == ["inserted"],
    ),
    "update_metadata": Call(
        lambda caller: {"external_id": caller.new_document(), "metadata": {"year": 2026}, **SMALL}, equal(True)
    ),
    "delete_document": Call(lambda caller: {"external_id": caller.new_document(), **SMALL}, equal(True)),
    "delete_documents": Call(
        lambda caller: {"external_ids": [caller.new_document(), caller.new_document()], **SMALL}, equal(2)
    ),
    "clear_collection": Call(lambda caller: {"collection": caller.new_collection()}, equal(0)),
    "claim_embedding_jobs": Call(
        lambda caller: {"lease": "1 second", "collection": caller.new_document_in(caller.new_collection())},
        lambda rows, _: [row["input"] for row in rows] == ["A heron."],
    ),
    "store_embeddings": Call(
        lambda caller: {"chunk_ids": [caller.claimed()], "embeddings": ["[1,0,1]"], **SMALL}, equal(1)
    ),
    "store_sparse_terms": Call(
        lambda caller: {"chunk_ids": [caller.claimed()], "terms": [{"heron": 1.5}], **SMALL}, equal(1)
    ),
    "fail_embedding_jobs": Call(lambda caller: {"chunk_ids": [caller.claimed()], "error": "no", **SMALL}, equal(1)),
    "abandon_embedding_jobs": Call(lambda caller: {"chunk_ids": [caller.claimed()], "error": "no", **SMALL}, equal(1)),
    "retry_embedding_jobs": Call(lambda caller: {"chunk_ids": [caller.claimed()], **SMALL}, equal(1)),
    "drop_embedding_jobs": Call(lambda caller: {"chunk_ids": [caller.claimed()], **SMALL}, equal(1)),
    "list_embedding_jobs": Call(
        lambda caller: {"collection": caller.new_document_in(caller.new_collection())},
        lambda rows, _: [(row["chunk_index"], row["state"], row["attempts"]) for row in rows] == [(0, "waiting", 0)],
    ),
    "current_tenant_id": Call({}, lambda answer, caller: answer == caller.tenant_id),
    "status": Call({}, lambda answer, caller: answer["tenant"] == caller.tenant),
    "version": Call({}, lambda answer, _: answer.count(".") >= 1),
    "check_index": Call(READ, equal([])),
    "rebuild_index": Call(READ, equal(3)),
    "measure_index_recall": Call(READ, equal({"collection": "read", "indexes": []})),
    "rebuild_vector_index": Call(READ, equal(False)),
    "create_tenant": Call(lambda _: {"tenant": new_name()}, an_integer),
    "drop_tenant": Call(lambda caller: dict.fromkeys(("tenant", "confirm_tenant"), caller.new_tenant()), equal(True)),
    "export_tenant": Call(
        {**READ, "document_count": 2},
        lambda answer, _: [list(record) for record in answer] == [["collection"], ["document"], ["document"]],
    ),
    "import_tenant": Call(
        lambda caller: {
            "records": caller.as_user("export_tenant", {"collection": caller.new_document_in("small")})[1:]
        },
        lambda answer, _: answer > 0,
    ),
    "add_tenant_member": Call(
        lambda caller: {"tenant": caller.tenant, "member": caller.login}, lambda answer, _: isinstance(answer, bool)
    ),
    "remove_tenant_member": Call(
        lambda caller: {"tenant": caller.tenant, "member": caller.login}, lambda answer, _: isinstance(answer, bool)
    ),
    "add_trusted_role": Call(lambda caller: {"role": caller.login, "kind": "gateway"}, equal(False)),
    "remove_trusted_role": Call(lambda caller: {"role": caller.login, "kind": "service"}, equal(False)),
    "create_collection": Call(lambda _: {"collection": new_name()}, an_integer),
    "drop_collection": Call(lambda caller: {"collection": caller.new_collection()}, equal(True)),
    "set_ranking": Call(
        lambda caller: {"collection": caller.new_collection(), "ranking": {"k1": 2}, "reason": "try"}, equal(2)
    ),
    "list_rankings": Call(lambda caller: {"collection": caller.new_collection()}, equal([])),
    "restore_ranking": Call(lambda caller: {"collection": caller.ranked_collection(), "version": 1}, equal(3)),
    "set_sparse_encoder": Call(lambda _: {"name": new_name(), "weights": {"heron": 2}}, equal(1)),
    "embed_text": Call(lambda caller: {"content": "heron", "embedder": caller.new_embedder()}, equal("[1]")),
    "set_static_embedder": Call(lambda _: {"name": new_name(), "tokens": ["heron"], "embeddings": ["[1]"]}, equal(1)),
    "set_synonyms": Call(
        lambda caller: {"word": "car", "synonyms": ["automobile"], "collection": caller.new_collection()}, equal(1)
    ),
    "set_collection": Call(
        lambda caller: {"collection": caller.new_collection(), "settings": {"overlap_tokens": 3}}, equal(None)
    ),
    "set_indexed_attributes": Call(
        lambda caller: {"indexed_attributes": {"year": "number"}, "collection": caller.new_collection()}, equal(None)
    ),
    "set_query_embeddings": Call(
        lambda caller: {"collection": caller.new_collection(), "embedding_count": 5}, equal(None)
    ),
    "store_query_embedding": Call(
        lambda caller: {"embedded_text": "heron", "embedding": [0, 1, 0], "collection": caller.storing_queries()},
        equal(True),
    ),
    "embedded_text": Call(lambda caller: {"query_text": "heron -stork"}, equal("heron")),
    "get_query_embedding": Call(
        lambda caller: {"embedded_text": "heron", "collection": caller.storing_queries("heron")}, equal("[0,1,0]")
    ),
    "set_token_vectors": Call(
        lambda caller: {"collection": caller.new_collection(), "embedding_model": "m"}, equal(None)
    ),
    "missing_token_vectors": Call(
        lambda caller: {"collection": caller.new_document_in(caller.with_token_vectors())},
        lambda rows, _: [row["input"] for row in rows] == ["A heron."],
    ),
    "store_token_vectors": Call(
        lambda caller: {
            "chunk_ids": [caller.claimed()],
            "vectors": ["[1,0,1]", "[0,1,0]"],
            "vector_counts": [2],
            "collection": caller.with_token_vectors("small"),
        },
        equal(1),
    ),
    "start_model_change": Call(
        lambda caller: {"collection": caller.new_collection(), "embedding_model": "other", "dimensions": 4}, equal(None)
    ),
    "pause_model_change": administrators("start_model_change"),
    "resume_model_change": administrators("start_model_change", "pause_model_change"),
    "cut_over_model_change": administrators("start_model_change"),
    "roll_back_model_change": administrators("start_model_change"),
    "finish_model_change": administrators("start_model_change", "cut_over_model_change"),
    "calibrate": Call({}, lambda answer, _: answer["exact_rows"] > 0),
    "record_embedding_usage": Call(
        lambda caller: {
            "tenant": caller.tenant,
            "embedding_model": "test",
            "request_count": 1,
            "text_count": 2,
            "token_count": 3,
        },
        equal(None),
    ),
    "sync_table": Call(synced, equal(None)),
    "check_sync": Call(
        lambda caller: {"table_name": caller.synced_table()}, lambda answer, _: isinstance(answer, list)
    ),
    "unsync_table": Call(lambda caller: {"table_name": caller.synced_table()}, equal(0)),
}


def usual(function: str) -> Call:
    """Return a function's example as a call."""
    return Call({name: value(given) for name, given in arguments(example(function)).items()}, lambda _, __: True)


CALLS = {function: SPECIAL.get(function) or usual(function) for function in API}
