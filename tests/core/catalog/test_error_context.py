"""What psql shows of an error besides message and hint: its CONTEXT, a line for each function that it went through."""

from __future__ import annotations

import statistics
from typing import Any

import psycopg
import pytest
from core.catalog.conftest import Catalog, Functions

# Values that an argument cannot have. Not every function that has the argument refuses each of them.
WRONG = {
    "after": ["''"],
    "after_chunk_id": [],
    "append": [],
    "attributes": ["'[]'", """'{"category": {"a": 2}}'"""],
    "b": ["2"],
    "bm25_variant": ["'x'"],
    "baseline": ["'7'", "'{}'", "null"],
    "candidate": ["'7'", "'{}'", "null"],
    "candidate_count": ["0"],
    "category": [],
    "changed_count": ["-1"],
    "chunk_count": ["0"],
    "chunk_id": ["0", "null"],
    "chunk_ids": ["null", "'{0}'", "'{null}'"],
    "chunk_tokens": ["0"],
    "chunks": ["'7'", "'[7]'", "'[{}]'"],
    "claim_path": ["'{}'"],
    "collection": ["'none'"],
    "configuration": [
        "'7'",
        """'{"none": 1}'""",
        """'{"match_count": 0}'""",
        """'{"mode": "hybrid"}'""",
        """'{"mode": "full_text", "options": {"none": 1}}'""",
    ],
    "configurations": ["'7'", "'[]'", "'[7]'", """'[{"none": 1}]'""", "'[{}]'"],
    "confirm_tenant": ["'other'"],
    "content": [],
    "context_after": ["-1"],
    "context_before": ["-1"],
    "conversation_key": ["''"],
    "create_tenants": [],
    "cost": ["-1"],
    "default_occurred_at": ["'tomorrow'"],
    "depth": ["0", "null"],
    "description": ["null"],
    "details": ["null"],
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
    "embedded_text": ["''", "null"],
    "embedding_count": ["-1"],
    "error": ["null"],
    "evaluation": ["'7'"],
    "expected_ranking": ["'7'", "'{\"k1\": 7}'"],
    "evaluations": ["'7'", "'[]'", "'[1, 2]'", "null"],
    "budget": ["1", "null"],
    "fold_count": ["1", "null"],
    "metric": ["'good@10'", "null"],
    "search_space": ["'7'", "'{}'", """'{"k1": [-1]}'"""],
    "eta": ["-1", "'NaN'"],
    "estimated_token_count": ["-1"],
    "external_id": ["''", "null"],
    "external_ids": ["null"],
    "filters": ["""'"speaker"'""", """'{"speaker": {"$like": "A%"}}'""", """'{"$or": [{"year": {"$gt": [1]}}]}'"""],
    "fold_diacritics": [],
    "format": ["'html'"],
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
    "judge": ["'nobody'", "null"],
    "judgments": [
        "'7'",
        "'[7]'",
        """'[{"query_id": "1", "external_id": "a"}]'""",
        """'[{"query_id": "9", "external_id": "a", "grade": 1}]'""",
    ],
    "k1": ["-1"],
    "keys": ["null", "'{$x}'"],
    "kind": ["'none'"],
    "language": ["'klingon'"],
    "keep_query": ["'x'"],
    "lease": ["'-1 second'"],
    "log": ["'x'", "null"],
    "level": ["'paragraph'", "null"],
    "liked": ["null", "'{}'"],
    "match": ["'some'"],
    "match_count": ["0"],
    "member": ["'nobody'"],
    "metadata": ["'[]'"],
    "metrics": ["null", "'{bpref}'", "'{ndcg@10,ndcg@10}'", "'{recall@0}'"],
    "method": ["'best'", "null"],
    "min_impressions": ["0", "null"],
    "min_score": ["'NaN'"],
    "min_searches": ["0"],
    "most_attempts": ["0"],
    "name": ["''", "null"],
    "neighbour_weight": ["2"],
    "normalisation": ["'none'"],
    "older_than": ["'-1 second'"],
    "overlap_tokens": ["-1", "100000"],
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
    "query_count": ["0", "null"],
    "queries": [
        "'7'",
        "'[7]'",
        """'[{"query_id": "1"}]'""",
        """'[{"query_id": "1", "text": "x", "embedding": [1]}]'""",
    ],
    "query_embedding": ["'[1,2]'", "array_fill(0, '{384}')::@vector@.vector"],
    "query_id": [],
    "query_ids": ["'{9}'"],
    "query_set": ["''", "'none'", "null"],
    "query_text": ["repeat('x', 1000001)", "null"],
    "records": ["'7'", "'[7]'"],
    "reference": ["'nobody'"],
    "reference_time": ["'infinity'"],
    "replace": ["null"],
    "ranking": ["'7'", "'{}'", """'{"k1": -1}'""", "null"],
    "reason": ["''", "null"],
    "request_count": ["-1"],
    "resample_count": ["0"],
    "retention": ["'0'"],
    "role": ["'nobody'"],
    "rrf_k": ["-1"],
    "sample_share": ["0"],
    "search_id": ["'x'", "null", "gen_random_uuid()::text"],
    "scores": ["'{}'", "null"],
    "seed": ["null"],
    "semantic_weight": ["-1"],
    "set_ef_search": ["null"],
    "smoothing": ["2"],
    "since": [],
    "sort": ["'none'"],
    "source_uri": [],
    "segments": ["'7'", """'[{"start": 1}]'"""],
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
    "text_count": ["-1"],
    "text_config": ["'klingon'"],
    "time_budget": ["'-1 second'"],
    "time_zone": ["'Nowhere'"],
    "timeframe": ["'gibberish'"],
    "title": [],
    "title_weight": ["-1"],
    "token_budget": ["0"],
    "token_count": ["-1"],
    "topic": ["repeat('x', 1000001)"],
    "trusted_claim_roles": ["'{nobody}'"],
    "value": ["'NaN'"],
    "value_count": ["0"],
    "version": ["0", "null"],
    "vector_count": ["0"],
    "vector_counts": ["'{0}'", "null"],
    "vector_storage": ["'none'"],
    "vectors": ["'{null}'", "null"],
    "weights": ["'7'", """'{"a": -1}'"""],
    "with_state": ["'none'"],
    "with_filters": ["null"],
    "word": ["''", "null"],
    "filter": [],
    "id": [],
    "keep_documents": [],
    "mode": ["'never'"],
    "ranking_model": ["repeat('x', 256)"],
    "model": ["'7'", "'{}'", """'{"version": 1, "mode": "hybrid", "features": ["x"], "weights": [1]}'""", "null"],
    "on_error": ["'panic'"],
    "table_name": ["'public.none'"],
    "tenant_column": [],
}
EVALUATED = """braid.evaluate('asked', '{"mode": "full_text"}')"""
# What the others are meanwhile, where a function cannot do without.
RIGHT = {
    "baseline": EVALUATED,
    "candidate": EVALUATED,
    "table_name": "'public.none'",
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
    "judge": "'default'",
    "judgments": "'[]'",
    "kind": "'service'",
    "liked": "'{a}'",
    "member": "session_user::text",
    "metadata": "'{}'",
    "name": "'encoder'",
    "model": """'{"version": 1, "mode": "hybrid", "features": ["score"], "weights": [1]}'""",
    "profile": "'ana'",
    "embedded_text": "'fox'",
    "evaluations": "'[]'",
    "embedding": "array_fill(1, '{384}')::@vector@.vector",
    "queries": "'[]'",
    "query_embedding": "array_fill(1, '{384}')::@vector@.vector",
    "query_id": "'1'",
    "query_set": "'asked'",
    "query_text": "'fox'",
    "records": "'[]'",
    "ranking": """'{"k1": 2}'""",
    "reason": "'better'",
    "request_count": "1",
    "role": "session_user::text",
    "search_id": "gen_random_uuid()::text",
    "scores": "'{1}'",
    "synonyms": "'{vulpes}'",
    "tenant": "'default'",
    "terms": """'[{"fox": 1}]'""",
    "text_count": "1",
    "timeframe": "'2025'",
    "token_count": "1",
    "topic": "'fox'",
    "vector_counts": "'{1}'",
    "version": "1",
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
        # There it is a list of columns.
        for value in [] if (function.name, name) == ("sync_table", "metadata") else WRONG[name]:
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
    catalog.execute("select braid.create_query_set('asked')")
    queries = '[{"query_id": "1", "text": "fox"}, {"query_id": "2", "text": "quick"}]'
    judgments = '[{"query_id": "1", "external_id": "a", "grade": 1}, {"query_id": "2", "external_id": "a", "grade": 1}]'
    catalog.execute("select braid.store_queries('asked', %s)", (queries,))
    catalog.execute("select braid.store_judgments('asked', %s)", (judgments,))
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
