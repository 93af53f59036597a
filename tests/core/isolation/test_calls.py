"""Every function of the API, called for tenant alpha with beta's ids and words, shows and changes nothing of beta."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
import pytest
from core.isolation.world import BETA, PRIVATE, Connection, Gateway, World, tenant_claims

from support.api import ADMINISTRATIVE, API, LOGGED, READING, example, runs
from support.calls import one
from support.parts import is_installed

# These calls replace a function's example; :beta_chunks stands for the chunk ids of beta.
SPECIAL = {
    # These objects exist already, so no new id is returned.
    "create_collection": ["braid.create_collection('small')"],
    "create_tenant": ["braid.create_tenant('beta')"],
    "abandon_embedding_jobs": [
        "braid.abandon_embedding_jobs(:beta_chunks, 'planted', 1, 'small')",
        "braid.abandon_embedding_jobs(:beta_chunks, 'planted', 1, 'small', 'test')",
    ],
    "arrange_context": [
        "braid.arrange_context(:beta_chunks, array_fill(1.0::float8, array[cardinality(:beta_chunks)]), "
        "collection => 'small')",
    ],
    "arrange_results": [
        "braid.arrange_results(:beta_chunks, array_fill(1.0::float8, array[cardinality(:beta_chunks)]), "
        "collection => 'small')",
    ],
    "assemble_context": [
        "braid.assemble_context('zebrafish discount', '[1,0,0]', collection => 'small')",
        "braid.assemble_context('discount', sort => 'document', options => '{\"context\": {\"before\": 100, "
        "\"after\": 100}}', collection => 'small')",
    ],
    "acknowledge_matches": ["braid.acknowledge_matches(array(select generate_series(1, 1000)), 'small')"],
    "claim_matches": ["braid.claim_matches(10000, '1 second', 'small')"],
    "create_standing_query": [
        "braid.create_standing_query('planted', 'zebrafish OR discount', collection => 'small')",
        "braid.create_standing_query('also planted', query_embedding => '[1,0,0]', semantic_min_score => 0.5,"
        " collection => 'small')",
    ],
    "drop_standing_query": ["braid.drop_standing_query('stood', 'small')"],
    "list_standing_queries": ["braid.list_standing_queries('small', 10000)"],
    "claim_embedding_jobs": [
        "braid.claim_embedding_jobs(10000, '1 second', 'small')",
        "braid.claim_embedding_jobs(10000, '1 second', 'small', 'test')",
    ],
    "complete": [
        "braid.complete('zebra', collection => 'small', match_count => 100)",
        "braid.complete('b', collection => 'small', match_count => 100)",
        "braid.complete('customer ', '{\"betakey\": {\"$exists\": true}}', 'small')",
    ],
    "conversation_timeline": [
        "braid.conversation_timeline('zebrafish discount', '[0,1,0.1]', collection => 'small')",
        "braid.conversation_timeline(collection => 'small', context_before => 1000, context_after => 1000)",
        "braid.conversation_timeline('discount', collection => 'small', conversation_key => 'betakey')",
        "braid.conversation_timeline('customer', collection => 'small', conversation_key => 'speaker',"
        " context_after => 1000)",
    ],
    "create_query_set": ["braid.create_query_set('asked', description => 'planted')"],
    "delete_document": ["braid.delete_document('beta-only', 'small')", "braid.delete_document('doc1', 'small')"],
    "delete_documents": ["braid.delete_documents('{beta-only,doc1}', 'small')"],
    "delete_profile": ["braid.delete_profile('beta-only')", "braid.delete_profile('ana')"],
    "drop_embedding_jobs": [
        "braid.drop_embedding_jobs(:beta_chunks, 'small')",
        "braid.drop_embedding_jobs(collection => 'small')",
    ],
    "choose_configuration": [
        "braid.choose_configuration((select jsonb_agg(braid.evaluate('tuned', c)) from unnest(array["
        '\'{"collection": "small", "mode": "full_text"}\', \'{"collection": "small", "mode": "full_text",'
        ' "match_count": 20}\'::jsonb]) c))'
    ],
    "evaluate": ["braid.evaluate('asked', '{\"collection\": \"small\"}', details => true)"],
    "explain_search": [
        "braid.explain_search('zebrafish discount', '[1,0,0]', external_id => 'beta-only', collection => 'small')",
        "braid.explain_search('discount', filters => '{\"betakey\": {\"$exists\": true}}', external_id => 'doc1', "
        "collection => 'small')",
    ],
    "embedded_text": ["braid.embedded_text('discount -zebrafish', collection => 'small')"],
    "explain_score": [
        "braid.explain_score('zebrafish discount', :beta_chunks, collection => 'small')",
        "braid.explain_score('discount', (:beta_chunks)[1:1], collection => 'small')",
    ],
    "export_tenant": ["braid.export_tenant()", "braid.export_tenant('small', 'beta', 10)"],
    "extract_timeframe": ["braid.extract_timeframe('prices last week', reference_time => '2026-01-01')"],
    "facets": [
        "braid.facets('{speaker,external_id,source_uri,betakey,year}', collection => 'small')",
        "braid.facets('{speaker,external_id,metadata.betakey}', 'zebrafish discount', collection => 'small')",
        "braid.facets('{external_id}', filters => '{\"betakey\": {\"$exists\": true}}', collection => 'small')",
        "braid.facets(null, 'zebrafish discount', collection => 'small', aggregations => "
        '\'{"year": {"interval": 1}, "v": {"key": "betakey", "values": 9, "filters": {}, "query": false}, '
        '"occurred_at": {"statistics": true}, '
        '"total": {"total": true}, "documents": {"key": "year", "buckets": 2, "count": "documents"}}\')',
    ],
    "fail_embedding_jobs": [
        "braid.fail_embedding_jobs(:beta_chunks, 'planted', 'small')",
        "braid.fail_embedding_jobs(:beta_chunks, 'planted', 'small', 'test')",
    ],
    "full_text_search": [
        "braid.full_text_search('zebrafish', collection => 'small')",
        "braid.full_text_search('zebrafish discount customer', 10000, collection => 'small')",
        "braid.full_text_search('prices', filters => '{\"external_id\": \"beta-only\"}', collection => 'small')",
        "braid.full_text_search('discount', filters => '{\"betakey\": {\"$exists\": true}}', collection => 'small')",
        "braid.full_text_search('discount', filters => '{\"tenant_id\": 2}', collection => 'small')",
        "braid.full_text_search('zebrafsh discuont', options => '{\"typos\": \"auto\"}', collection => 'small')",
        'braid.full_text_search(\'discount\', filters => \'{"$or": [{"speaker": "Zoltan"}, {"source_uri": '
        "{\"$exists\": true}}]}', collection => 'small')",
    ],
    "health": ["braid.health()", "braid.health('0 seconds')"],
    "highlight": [
        "braid.highlight((:beta_chunks)[1], 'zebrafish')",
        "braid.highlight((select max(id) from unnest(:beta_chunks) as ids (id)), 'discount', fragment_count => null)",
    ],
    "hybrid_search": [
        "braid.hybrid_search('zebrafish customer', '[1,0,0]', 10000, collection => 'small')",
        "braid.hybrid_search('zebrafish', collection => 'small', match => 'all')",
        "braid.hybrid_search(query_embedding => '[0,1,0.1]', collection => 'small')",
        "braid.hybrid_search('discount', '[0,1,0.1]', candidate_count => 100000, collection => 'small')",
        "braid.hybrid_search('discount zebrafish', '[0,1,0.1]', fusion => 'convex', collection => 'small', filters => "
        '\'{"year": 2024}\', options => \'{"ranking": {"statistics_scope": "filter"}, '
        '"boosts": [{"attribute": "year"}, {"filter": '
        '{"betakey": {"$exists": true}}, "factor": 9}, {"filter": {"external_id": "beta-only"}, "factor": 9}]}\')',
        "braid.hybrid_search('discount zebrafish', '[0,1,0.1]', collection => 'small', options => "
        '\'{"late_interaction": {"vectors": [[1, 0, 0], "[0,1,0.1]"]}}\')',
        "braid.hybrid_search('discount', collection => 'small', options => '{\"ranking_model\": \"learned\"}')",
        'braid.hybrid_search(\'discount\', collection => \'small\', options => \'{"profile": {"name": "ana",'
        ' "weight": 9}}\')',
    ],
    "missing_token_vectors": ["braid.missing_token_vectors(10000, 0, 'small')"],
    "get_document": [
        "braid.get_document('doc1', 'small')",
        "braid.get_document('doc2', 'small')",
        "braid.get_document('beta-only', 'small')",
        "braid.get_document('beta-only', 'small', first_chunk => 0, chunk_count => 1000)",
    ],
    "grep": [
        "braid.grep(collection => 'small', match_count => 1000)",
        "braid.grep('zebrafish', collection => 'small', match_count => 1000)",
        "braid.grep('.', regex => true, ignore_case => true, collection => 'small', match_count => 1000)",
        "braid.grep(filters => '{\"betakey\": {\"$exists\": true}}', collection => 'small')",
        "braid.grep(filters => '{\"external_id\": \"beta-only\"}', collection => 'small')",
    ],
    "get_profile": ["braid.get_profile('ana')", "braid.get_profile('beta-only')"],
    "get_query_embedding": [
        "braid.get_query_embedding('discount', 'small')",
        "braid.get_query_embedding('zebrafish', 'small')",
    ],
    "import_tenant": [
        "braid.import_tenant((select jsonb_agg(e) from braid.export_tenant() e))",
    ],
    "judgments_from_clicks": ["braid.judgments_from_clicks('asked', 'small', min_impressions => 0.01)"],
    "learn_profile": ["braid.learn_profile('ana', '{doc1,beta-only}', '{doc2}', '{speaker,betakey}', 'small')"],
    "list_embedding_jobs": ["braid.list_embedding_jobs(null, 10000, collection => 'small')"],
    "list_documents": [
        "braid.list_documents('small')",
        "braid.list_documents('small', 10000, 'b')",
        "braid.list_documents('small', 10000, filters => '{\"external_id\": {\"$exists\": true}}')",
    ],
    "list_values": [
        "braid.list_values(collection => 'small')",
        "braid.list_values('{betakey,speaker}', collection => 'small', value_count => 1000)",
        "braid.list_values(filters => '{\"external_id\": \"beta-only\"}', collection => 'small')",
    ],
    "logged_multi_search": [
        """(select braid.logged_multi_search('["discount", {"text": "zebrafish", "embedding": [0, 1, 0.1]}]', 1000,"""
        " collection => 'small') #- '{stats,search_id}') s",
    ],
    "logged_recall": [
        "(select braid.logged_recall('discount zebrafsh last week', '[0,1,0.1]', 'auto', 'auto', collection => 'small',"
        " reference_time => '2026-01-01') #- '{stats,search_id}') s",
    ],
    "measure_index_recall": ["braid.measure_index_recall('small', set_ef_search => true)"],
    "multi_search": [
        """braid.multi_search('["discount", {"text": "zebrafish", "embedding": [0, 1, 0.1]}]', 1000,"""
        " collection => 'small')",
    ],
    "retry_embedding_jobs": [
        "braid.retry_embedding_jobs(:beta_chunks, 'small')",
        "braid.retry_embedding_jobs(collection => 'small')",
    ],
    "pool_results": [
        'braid.pool_results(\'asked\', \'[{"collection": "small"}, {"mode": "full_text", "collection": "small"}]\')',
    ],
    "recall": [
        "braid.recall('zebrafish discount', '[0,1,0.1]', strategy => 'auto', collection => 'small')",
        "braid.recall('zebrafish customer', '[0,1,0.1]', strategy => 'prefilter', match_count => 100,"
        " collection => 'small')",
        "braid.recall('zebrafish discount', timeframe => 'before 2999', collection => 'small')",
    ],
    "recall_json": [
        "braid.recall_json('discount zebrafsh', '[0,1,0.1]', strategy => 'prefilter', collection => 'small',"
        " reference_time => '2026-01-01')",
    ],
    "logged_search": [
        "(select braid.logged_search('zebrafish', '[0,1,0.1]', collection => 'small') #- '{stats,search_id}') s",
        "(select braid.logged_search('discount -zebrafish', '[0,1,0.1]', collection => 'small')"
        " #- '{stats,search_id}') s",
    ],
    "sample_queries": [
        "braid.sample_queries('asked', 'small')",
        "braid.sample_queries('asked', 'small', 'worst')",
    ],
    "search_json": [
        "braid.search_json('zebrafish', '[0,1,0.1]', collection => 'small')",
        "braid.search_json('discount zebrafish', collection => 'small')",
        "braid.search_json('discuont zebr* zebrafsh', options => '{\"explain\": true, \"snippet\": true}', "
        "collection => 'small')",
        "braid.search_json('discount', collection => 'small')",
        "braid.search_json('discount -zebrafish', '[0,1,0.1]', collection => 'small')",
    ],
    "semantic_search": ["braid.semantic_search('[1,0,0]', 10000, collection => 'small')"],
    "set_profile": ["braid.set_profile('ana', '[0,0,1]', '{\"speaker\": {\"planted\": 1}}', 'small')"],
    "similar_chunks": ["braid.similar_chunks((:beta_chunks)[1])"],
    "similar_documents": [
        "braid.similar_documents('doc1', 10000, collection => 'small')",
        "braid.similar_documents('doc2', filters => '{\"betakey\": {\"$exists\": true}}', collection => 'small')",
    ],
    "status": ["braid.status()", "braid.status('small')"],
    "store_judgments": [
        'braid.store_judgments(\'asked\', \'[{"query_id": "1", "external_id": "beta-only", "grade": 3}]\')',
    ],
    "store_queries": ['braid.store_queries(\'asked\', \'[{"query_id": "1", "text": "planted"}]\', \'small\')'],
    "store_embeddings": [
        "braid.store_embeddings(:beta_chunks, array_fill('[0.5,0.5,0.5]'::@vector@.vector,"
        " array[cardinality(:beta_chunks)]), 'small')",
        "braid.store_embeddings(:beta_chunks, array_fill('[0.5,0.5,0.5]'::@vector@.vector,"
        " array[cardinality(:beta_chunks)]), 'small', 'test')",
    ],
    "store_query_embedding": ["braid.store_query_embedding('discount', '[0,0,1]', 'small')"],
    "store_sparse_terms": [
        "braid.store_sparse_terms(:beta_chunks, (select jsonb_agg('{\"planted\": 1}'::jsonb)"
        " from unnest(:beta_chunks)), 'small')",
    ],
    "store_token_vectors": [
        "braid.store_token_vectors(:beta_chunks, array_fill('[0.5,0.5,0.5]'::@vector@.halfvec,"
        " array[cardinality(:beta_chunks)]), array_fill(1, array[cardinality(:beta_chunks)]), 'small')",
    ],
    "update_metadata": [
        "braid.update_metadata('beta-only', '{\"planted\": true}', collection => 'small')",
        "braid.update_metadata('doc1', '{\"planted\": true}', collection => 'small')",
    ],
    "upsert_document": [
        "braid.upsert_document('doc1', 'planted', collection => 'small')",
        "braid.upsert_document('doc2', 'planted', embedding => '[0,0,1]', collection => 'small')",
    ],
    "upsert_documents": [
        'braid.upsert_documents(\'[{"external_id": "doc1", "content": "planted"},'
        ' {"external_id": "beta-only", "chunks": [{"content": "planted"}]}]\', \'small\')',
    ],
    "upsert_embedded_documents": [
        'braid.upsert_embedded_documents(\'[{"external_id": "doc1", "content": "planted", "embedding": 1},'
        ' {"external_id": "beta-only", "chunks": [{"content": "planted", "embedding": 2}]}]\','
        " array['[0,0,1]', '[0,1,0]']::@vector@.vector[], 'small')",
    ],
}
CALLS = {name: list(filter(is_installed, SPECIAL.get(name, [example(name)]))) for name in API}
# For this tenant, another tenant's chunk does not exist.
REFUSED = {
    **dict.fromkeys(ADMINISTRATIVE, "42501"),
    **dict.fromkeys(("arrange_context", "arrange_results", "explain_score", "highlight", "similar_chunks"), "42704"),
}
# These functions depend on alpha's part alone. health is left out, because it reports all tenants to a superuser.
COMPARED = (READING | LOGGED) - REFUSED.keys() - {"health"}
# These answers repeat what the call names, show alpha's own document of the same id, or show a key that a shared
# collection declares.
ECHOED = {
    "explain_search": ["zebrafish", "beta-only", "betakey"],
    "export_tenant": ["betakey"],
    "learn_profile": ["beta-only"],
    "logged_multi_search": ["zebrafish"],
    "multi_search": ["zebrafish"],
    "upsert_documents": ["beta-only"],
    "upsert_embedded_documents": ["beta-only"],
}
SESSIONS = ["analyst", "service", "gateway", "service_role", "bypassrls", "superuser"]


@pytest.fixture(scope="module")
def connections(world: World) -> dict[str, Connection]:
    analyst = world.role("analyst", "braid_writer")
    world.member("alpha", analyst)
    return {
        "analyst": world.connect(analyst),
        "service": world.connect(world.role("service", "braid_writer", "service"), braid__tenant="alpha"),
        "bypassrls": world.connect(world.role("all", "braid_writer", options="login bypassrls"), braid__tenant="alpha"),
        "superuser": world.connect("postgres", braid__tenant="alpha"),
    }


@contextmanager
def session(kind: str, connections: dict[str, Connection], gateway: Gateway) -> Iterator[Connection]:
    """Yield a session in a transaction for tenant alpha, which is rolled back."""
    if kind == "gateway":
        opened = gateway.request(gateway.authenticated, tenant_claims("alpha"), read_only=False)
    elif kind == "service_role":
        opened = gateway.request(gateway.service_role, {}, {"x-braid-tenant": "alpha"}, read_only=False)
    else:
        opened = connections[kind].transaction()  # type: ignore[assignment]
    with opened:
        yield gateway.connection if kind in ("gateway", "service_role") else connections[kind]
        raise psycopg.Rollback()


@cache
def vector_schema(world: World) -> str:
    return str(one(world.admin, "select extnamespace::regnamespace::text from pg_extension where extname = 'vector'"))


def run(connection: Connection, world: World, call: str) -> tuple[str, str]:
    """Return the result and messages of a call as text, and its SQLSTATE."""
    chunks = "array[" + ",".join(map(str, world.chunk_ids("beta"))) + "]::bigint[]" if ":beta_chunks" in call else ""
    notices: list[str] = []
    handler = lambda diagnostic: notices.append(  # noqa: E731
        f"{diagnostic.message_primary} {diagnostic.message_detail}"
    )
    connection.add_notice_handler(handler)
    try:
        with connection.transaction():
            cursor = connection.execute(
                "select * from " + call.replace(":beta_chunks", chunks).replace("@vector@", vector_schema(world))
            )
            return re.sub(r"'\w+_ms': [0-9.e-]+", "", repr((cursor.fetchall(), notices))), "00000"
    except psycopg.Error as error:
        said = error.diag
        text = repr((said.message_primary, said.message_detail, said.message_hint, notices))
        return text, str(error.sqlstate)
    finally:
        connection.remove_notice_handler(handler)


@pytest.mark.parametrize("kind", SESSIONS)
@pytest.mark.parametrize("function", CALLS)
def test_a_call_shows_and_changes_nothing_of_another_tenant(
    world: World, connections: dict[str, Connection], gateway: Gateway, function: str, kind: str
) -> None:
    if (function in ADMINISTRATIVE and kind == "superuser") or (function in runs("service") and kind == "service"):
        pytest.skip("may do so")
    before = world.fingerprint("beta")
    with session(kind, connections, gateway) as connection:
        for call in CALLS[function]:
            text, state = run(connection, world, call)
            shown = [word for word in PRIVATE if word in text and word not in ECHOED.get(function, ())]
            assert shown == [], text
            assert state == REFUSED.get(function, "00000"), text
    assert world.fingerprint("beta") == before


@pytest.mark.parametrize("kind", SESSIONS)
def test_results_are_those_of_a_database_without_the_other_tenant(
    world: World, connections: dict[str, Connection], gateway: Gateway, kind: str
) -> None:
    """Scores, counts, warnings and term statistics are the same as in a database without beta."""
    reading = [call for function, calls in CALLS.items() if function in COMPARED for call in calls]

    def results() -> list[tuple[str, str]]:
        with session(kind, connections, gateway) as connection:
            found = [run(connection, world, call) for call in reading]
        if kind == "superuser":
            # Only a superuser sees the size of the files, which all tenants share and any vacuum changes.
            found = [(re.sub(r"'bytes': \d+", "'bytes': 0", text), state) for text, state in found]
        return found

    with_beta = results()
    assert "doc1" in str(with_beta) and "doc2" in str(with_beta)
    world.clear("beta")
    try:
        assert results() == with_beta
    finally:
        world.ingest("beta", BETA)
