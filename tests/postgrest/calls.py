"""A call of each function of the API, as a client of PostgREST makes it.

A new function needs a line here: the body of its request, or a function that prepares the ground and gives it, and
what its answer must be.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Caller:
    """Whoever makes the calls: their tenant, and what its data give to calls."""

    tenant: str
    tenant_id: int
    chunk_id: int
    login: str
    as_user: Callable[[str, Body], Any]
    as_administrator: Callable[[str, Body], Any]

    def new_collection(self, *calls: str) -> str:
        """A collection of its own, on which these functions of the API have been called."""
        name = new_name()
        self.as_administrator("create_collection", {"collection": name, "dimensions": 3, "embedding_model": "test"})
        for function in calls:
            if function == "start_model_migration":
                self.as_administrator(function, {"collection": name, "embedding_model": "other", "dimensions": 4})
                self.as_administrator("maintain", {"time_budget": "1 second"})
            else:
                self.as_administrator(function, {"collection": name})
        return name

    def with_token_vectors(self, collection: str | None = None) -> str:
        name = collection or self.new_collection()
        self.as_administrator("set_token_vectors", {"collection": name, "embedding_model": "test"})
        return name

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
        """The chunk of an embedding job that is claimed."""
        document = self.new_document(content=new_name())
        jobs = self.as_user("claim_embedding_jobs", {"job_count": 1000, **SMALL})
        assert jobs, f"{document} has no job"
        return int(max(job["chunk_id"] for job in jobs))


@dataclass(frozen=True)
class Call:
    body: Body | Callable[[Caller], Body]
    expected: Callable[[Any, Caller], bool]
    administrator: bool = False

    def body_for(self, caller: Caller) -> Body:
        return self.body(caller) if callable(self.body) else self.body


def new_name() -> str:
    return f"http_{uuid.uuid4().hex[:8]}"


def new_profile(caller: Caller) -> str:
    name = new_name()
    caller.as_user("set_profile", {"profile": name, "embedding": [0, 1, 0], **SMALL})
    return name


def found(*external_ids: str) -> Callable[[Any, Caller], bool]:
    return lambda rows, _: [row["external_id"] for row in rows] == list(external_ids)


def equal(value: Any) -> Callable[[Any, Caller], bool]:
    return lambda answer, _: bool(answer == value)


def an_integer(answer: Any, _: Caller) -> bool:
    return isinstance(answer, int) and answer > 0


def administrators(*calls: str) -> Call:
    """A function of administrators that returns nothing, on a collection on which `calls` have been made."""
    return Call(lambda caller: {"collection": caller.new_collection(*calls)}, equal(None), administrator=True)


# What calls write goes elsewhere than what they read.
SMALL: Body = {"collection": "small"}
READ: Body = {"collection": "read"}
TEXT: Body = {"query_text": "discount customer keep", **READ}
VECTOR: Body = {"query_embedding": [0, 1, 0], **READ}


def documents(tenant: str) -> list[Body]:
    """What each tenant has in the collection `read`; words with its name are its own."""
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


# Of nobody's data.
WITHOUT_TENANT = {"version", "current_tenant_id"}

CALLS = {
    "hybrid_search": Call({**TEXT, **VECTOR, "match_count": 2}, found("doc2", "doc1")),
    "full_text_search": Call({**TEXT, "match": "all"}, found("doc2")),
    "semantic_search": Call({**VECTOR, "match_count": 1}, found("doc2")),
    "search_json": Call(
        {**TEXT, **VECTOR, "match_count": 1},
        lambda answer, _: answer["results"][0]["external_id"] == "doc2"
        and [warning["code"] for warning in answer["warnings"]] == ["chunks_not_embedded"],
    ),
    "recall": Call({**TEXT, **VECTOR, "match_count": 2}, found("doc2", "doc1")),
    "recall_json": Call(
        {**TEXT, **VECTOR, "match_count": 1, "reference_time": "2026-01-01T00:00:00Z"},
        lambda answer, _: answer["results"][0]["external_id"] == "doc2",
    ),
    "conversation_timeline": Call({"topic": "keep", **READ}, found("doc2")),
    "extract_timeframe": Call(
        {"query_text": "discounts in March 2025", "time_zone": "UTC"},
        lambda rows, _: rows[0]["timeframe"] == '{["2025-03-01 00:00:00+00","2025-04-01 00:00:00+00")}',
    ),
    "parse_timeframe": Call(
        {"timeframe": "2025-03", "time_zone": "UTC"},
        lambda rows, _: rows[0]["starts_at"].startswith("2025-03-01"),
    ),
    "explain_search": Call(
        {**TEXT, **VECTOR, "external_id": "doc2"}, lambda answer, _: "returned" in str(answer)
    ),
    "facets": Call(
        {"keys": ["external_id"], "query_text": "keep", **READ},
        lambda rows, _: rows == [{"key": "external_id", "value": "doc2", "count": 1}],
    ),
    "similar_chunks": Call(lambda caller: {"chunk_id": caller.chunk_id}, found("doc1")),
    "similar_documents": Call({"external_id": "doc2", "match_count": 1, **READ}, found("doc1")),
    "get_document": Call(
        {"external_id": "doc2", **READ},
        lambda document, _: [chunk["content"] for chunk in document["chunks"]]
        == ["A discount was given to keep the customer."],
    ),
    "list_documents": Call({"match_count": 2, **READ}, found("doc1", "doc2")),
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
    "highlight": Call(
        lambda caller: {"chunk_id": caller.chunk_id, "query_text": "discount"},
        lambda html, _: "<mark>discount</mark>" in html,
    ),
    "explain_score": Call(
        lambda caller: {"query_text": "discount", "chunk_ids": [caller.chunk_id], **READ},
        lambda rows, caller: [(row["chunk_id"], row["lexeme"]) for row in rows] == [(caller.chunk_id, "discount")],
    ),
    "arrange_results": Call(
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
    "current_tenant_id": Call({}, lambda answer, caller: answer == caller.tenant_id),
    "status": Call({}, lambda answer, caller: answer["tenant"] == caller.tenant),
    "version": Call({}, lambda answer, _: answer.count(".") >= 1),
    "check_index": Call(READ, equal([])),
    "rebuild_index": Call(READ, equal(3)),
    "rebuild_vector_index": Call(READ, equal(False)),
    "create_tenant": Call(lambda _: {"tenant": new_name()}, an_integer, administrator=True),
    "drop_tenant": Call(
        lambda caller: dict.fromkeys(("tenant", "confirm_tenant"), caller.new_tenant()), equal(True), administrator=True
    ),
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
        lambda caller: {"tenant": caller.tenant, "member": caller.login},
        lambda answer, _: isinstance(answer, bool),
        administrator=True,
    ),
    "remove_tenant_member": Call(
        lambda caller: {"tenant": caller.tenant, "member": caller.login},
        lambda answer, _: isinstance(answer, bool),
        administrator=True,
    ),
    "add_trusted_role": Call(
        lambda caller: {"role": caller.login, "kind": "gateway"}, equal(False), administrator=True
    ),
    "remove_trusted_role": Call(
        lambda caller: {"role": caller.login, "kind": "service"}, equal(False), administrator=True
    ),
    "set_access": Call({}, equal(None), administrator=True),
    "create_collection": Call(lambda _: {"collection": new_name()}, an_integer, administrator=True),
    "drop_collection": Call(lambda caller: {"collection": caller.new_collection()}, equal(True), administrator=True),
    "set_ranking": Call(lambda caller: {"collection": caller.new_collection(), "k1": 2}, equal(None), True),
    "set_sparse_encoder": Call(lambda _: {"name": new_name(), "weights": {"heron": 2}}, equal(1), administrator=True),
    "set_synonyms": Call(
        lambda caller: {"word": "car", "synonyms": ["automobile"], "collection": caller.new_collection()},
        equal(1),
        administrator=True,
    ),
    "set_indexed_attributes": Call(
        lambda caller: {"indexed_attributes": {"year": "number"}, "collection": caller.new_collection()},
        equal(None),
        administrator=True,
    ),
    "set_token_vectors": Call(
        lambda caller: {"collection": caller.new_collection(), "embedding_model": "m"}, equal(None), administrator=True
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
    "set_vector_index": Call(
        lambda caller: {"collection": caller.new_collection(), "hnsw_m": 8}, equal(None), administrator=True
    ),
    "start_model_migration": Call(
        lambda caller: {"collection": caller.new_collection(), "embedding_model": "other", "dimensions": 4},
        equal(None),
        administrator=True,
    ),
    "pause_model_migration": administrators("start_model_migration"),
    "resume_model_migration": administrators("start_model_migration", "pause_model_migration"),
    "cut_over_model_migration": administrators("start_model_migration"),
    "roll_back_model_migration": administrators("start_model_migration"),
    "finish_model_migration": administrators("start_model_migration", "cut_over_model_migration"),
    "calibrate": Call({}, lambda answer, _: answer["exact_rows"] > 0, administrator=True),
    "embedding_backlog": Call({}, lambda answer, _: isinstance(answer, list), administrator=True),
    "maintain": Call({"time_budget": "1 second"}, lambda answer, _: isinstance(answer, dict), administrator=True),
}
