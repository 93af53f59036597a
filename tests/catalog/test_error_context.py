"""What psql shows of an error besides message and hint: its CONTEXT, a line for each function that it went through."""

from __future__ import annotations

import statistics
from typing import Any

import psycopg
import pytest
from catalog.conftest import Catalog, Functions

# Values that an argument cannot have. Not every function that has the argument refuses each of them.
WRONG = {
    "after": ["''"],
    "after_chunk_id": [],
    "append": [],
    "attributes": ["'[]'", """'{"category": {"a": 2}}'"""],
    "b": ["2"],
    "bm25_variant": ["'x'"],
    "candidate_count": ["0"],
    "category": [],
    "chunk_count": ["0"],
    "chunk_id": ["0", "null"],
    "chunk_ids": ["null", "'{0}'", "'{null}'"],
    "chunk_tokens": ["0"],
    "chunks": ["'7'", "'[7]'", "'[{}]'"],
    "claim_path": ["'{}'"],
    "collection": ["'none'"],
    "confirm_tenant": ["'other'"],
    "content": [],
    "context_after": ["-1"],
    "context_before": ["-1"],
    "conversation_key": ["''"],
    "create_tenants": [],
    "dimensions": ["0"],
    "disliked": ["null"],
    "distance": ["'far'"],
    "document_count": ["0"],
    "documents": [
        "'7'",
        "'[7]'",
        """'[{"external_id": "a", "none": 1}]'""",
        """'[{"external_id": "a", "embedding": [1]}]'""",
    ],
    "embed_fields": ["'{none}'"],
    "embedding": ["'[1,2]'"],
    "embedding_model": ["''", "'none'"],
    "embeddings": ["'{}'", "null"],
    "error": ["null"],
    "external_id": ["''", "null"],
    "external_ids": ["null"],
    "filters": ["""'"speaker"'""", """'{"speaker": {"$like": "A%"}}'""", """'{"$or": [{"year": {"$gt": [1]}}]}'"""],
    "fold_diacritics": [],
    "fragment_count": ["0"],
    "fragment_separator": ["repeat('x', 256)"],
    "fragment_words": ["0"],
    "full_text_weight": ["-1"],
    "fusion": ["'mean'"],
    "hnsw_ef_construction": ["1"],
    "hnsw_m": ["1"],
    "importance": ["'NaN'"],
    "index_fields": ["'{none}'"],
    "indexed_attributes": ["'[]'", """'{"year": "date"}'"""],
    "job_count": ["0"],
    "k1": ["-1"],
    "keys": ["null", "'{$x}'"],
    "kind": ["'none'"],
    "language": ["'klingon'"],
    "lease": ["'-1 second'"],
    "liked": ["null", "'{}'"],
    "match": ["'some'"],
    "match_count": ["0"],
    "member": ["'nobody'"],
    "metadata": ["'[]'"],
    "min_score": ["'NaN'"],
    "name": ["''", "null"],
    "neighbour_weight": ["2"],
    "normalisation": ["'none'"],
    "preset": ["'x'"],
    "profile": ["''", "null"],
    "occurred_at": ["'infinity'"],
    "options": [
        "'[]'",
        """'{"none": 1}'""",
        """'{"group_by": 3}'""",
        """'{"group_size": 3}'""",
        """'{"snippet": 7}'""",
        """'{"ef_search": 0}'""",
        """'{"language": "klingon"}'""",
        """'{"normalisation": "none"}'""",
        """'{"cursor": "none"}'""",
        """'{"boosts": [{"factor": 2}]}'""",
        """'{"boosts": [{"filter": {"speaker": {"$like": "A%"}}, "factor": 2}]}'""",
    ],
    "public_tenant": ["'none'"],
    "query_embedding": ["'[1,2]'", "array_fill(0, '{384}')::@vector@.vector"],
    "query_text": ["repeat('x', 1000001)", "null"],
    "records": ["'7'", "'[7]'"],
    "reference_time": ["'infinity'"],
    "replace": ["null"],
    "role": ["'nobody'"],
    "rrf_k": ["-1"],
    "scores": ["'{}'", "null"],
    "semantic_weight": ["-1"],
    "smoothing": ["2"],
    "sort": ["'none'"],
    "source_uri": [],
    "sparse": ["'7'", """'{"a": 0}'"""],
    "sparse_encoder": ["'none'"],
    "sparse_weight": ["-1"],
    "speaker": [],
    "start_tag": ["repeat('<', 256)"],
    "statistics_scope": ["'x'"],
    "stop_tag": ["repeat('<', 256)"],
    "strategy": ["'none'"],
    "synonyms": ["'{}'", "null"],
    "terms": ["'7'", "'[7]'", "null"],
    "tenant": ["''", "null"],
    "tenant_header": ["'x y'"],
    "text_config": ["'klingon'"],
    "time_budget": ["'-1 second'"],
    "time_zone": ["'Nowhere'"],
    "timeframe": ["'gibberish'"],
    "title": [],
    "title_weight": ["-1"],
    "token_budget": ["0"],
    "topic": ["repeat('x', 1000001)"],
    "trusted_claim_roles": ["'{nobody}'"],
    "value_count": ["0"],
    "vector_count": ["0"],
    "vector_counts": ["'{0}'", "null"],
    "vector_storage": ["'none'"],
    "vectors": ["'{null}'", "null"],
    "weights": ["'7'", """'{"a": -1}'"""],
    "word": ["''", "null"],
}
# What the others are meanwhile, where a function cannot do without.
RIGHT = {
    "chunk_id": "(select min(id) from braid_store.chunks)",
    "chunk_ids": "array(select min(id) from braid_store.chunks)",
    "collection": "'default'",
    "dimensions": "2",
    "documents": "'[]'",
    "embedding_model": "'test'",
    "embeddings": "array[array_fill(1, '{384}')::@vector@.vector]",
    "error": "'failed'",
    "external_id": "'a'",
    "external_ids": "'{a}'",
    "indexed_attributes": "'{}'",
    "keys": "'{speaker}'",
    "kind": "'service'",
    "liked": "'{a}'",
    "member": "session_user::text",
    "metadata": "'{}'",
    "name": "'encoder'",
    "profile": "'ana'",
    "query_embedding": "array_fill(1, '{384}')::@vector@.vector",
    "query_text": "'fox'",
    "records": "'[]'",
    "role": "session_user::text",
    "scores": "'{1}'",
    "synonyms": "'{vulpes}'",
    "tenant": "'default'",
    "terms": """'[{"fox": 1}]'""",
    "timeframe": "'2025'",
    "topic": "'fox'",
    "vector_counts": "'{1}'",
    "vectors": "array['[1]']::@vector@.halfvec[]",
    "weights": """'{"fox": 1}'""",
    "word": "'fox'",
}


# In bytes. A line has the function's name and the types of its arguments, which alone are 260 for create_collection.
MOST = 320
# Where it is not raised again at the surface: a parallel worker, which may run highlight and explain_score, cannot
# catch errors; and to catch a wrong vector while documents or token vectors are written would
# cost each write a transaction number more.
MORE = {"create_collection": 400, "highlight": 400, "explain_score": 350}
MORE |= dict.fromkeys(("upsert_document", "upsert_documents", "upsert_embedded_documents", "store_token_vectors"), 1000)


def calls(function: Any) -> list[str]:
    names = function.argument_names[: function.argument_count]
    needed = names[: function.argument_count - function.default_count]
    made = []
    for name in names:
        for value in WRONG[name]:
            # A search asks by text unless it cannot.
            asked = {"query_text", "topic"}.intersection(names)
            arguments = {**{key: RIGHT[key] for key in (*needed, *asked)}, name: value}
            given = ", ".join(f"{key} => {value}" for key, value in arguments.items())
            made.append(f"select * from {function.full_name}({given})")
    return made


def errors(catalog: Catalog, function: Any) -> dict[str, psycopg.errors.Diagnostic]:
    """What is said of the wrong calls that are refused."""
    vector = catalog.execute("select extnamespace::regnamespace from pg_extension where extname = 'vector'").fetchone()
    assert vector
    found = {}
    for call in calls(function):
        # Each in a transaction of its own: where PL/pgSQL has met an error before, it quotes the expression.
        try:
            with catalog.transaction(force_rollback=True):
                catalog.execute(call.replace("@vector@", vector[0]).encode())
        except psycopg.Error as error:
            found[call] = error.diag
    return found


@pytest.mark.not_pglite("PGlite ends the connection where an error comes through as many calls as in assemble_context")
def test_message_and_hint_are_not_drowned(catalog: Catalog, functions: Functions) -> None:
    catalog.execute("select braid.upsert_document('a', 'the quick brown fox')")
    sizes = []
    offenders = {}
    for function in functions:
        if function.schema == "braid":
            for call, diagnostic in errors(catalog, function).items():
                assert diagnostic.message_primary and diagnostic.message_hint, call
                sizes.append(len((diagnostic.context or "").encode()))
                if sizes[-1] > MORE.get(function.name, MOST):
                    offenders[call] = diagnostic.context
    assert offenders == {}
    assert len(sizes) > 400
    assert statistics.median(sizes) < 250
