"""Each function of the API as each role: it runs, or it is refused with 42501."""

from __future__ import annotations

import psycopg
import pytest
from core.isolation.test_calls import ADMINISTRATIVE, CALLS, SERVED
from core.isolation.world import Connection, World

READS = {
    "arrange_results",
    "assemble_context",
    "conversation_timeline",
    "current_tenant_id",
    "embedded_text",
    "explain_score",
    "explain_search",
    "extract_timeframe",
    "facets",
    "full_text_search",
    "get_document",
    "get_query_embedding",
    "highlight",
    "hybrid_search",
    "list_documents",
    "logged_multi_search",
    "logged_recall",
    "missing_token_vectors",
    "multi_search",
    "parse_timeframe",
    "recall",
    "recall_json",
    "record_feedback",
    "search",
    "search_json",
    "semantic_search",
    "similar_chunks",
    "similar_documents",
    "status",
    "version",
}
WRITES = set(CALLS) - READS - ADMINISTRATIVE
MAY = {
    "none": set(),
    "gateway": set(),
    "service": SERVED,
    "braid_reader": READS,
    "braid_writer": READS | WRITES,
    "administrator": ADMINISTRATIVE | {"health"},
}
# By itself, with arguments that are right.
CALL = {
    "abandon_embedding_jobs": "abandon_embedding_jobs('{1}', 'x', 1, 'small')",
    "add_tenant_member": "add_tenant_member('default', 'postgres')",
    "add_trusted_role": "add_trusted_role('postgres', 'service')",
    "arrange_results": "arrange_results('{}', '{}', collection => 'small')",
    "assemble_context": "assemble_context('discount', collection => 'small')",
    "calibrate": "calibrate()",
    "check_index": "check_index('small')",
    "conversation_timeline": "conversation_timeline('discount', collection => 'small')",
    "create_collection": "create_collection('another')",
    "compare_evaluations": "compare_evaluations(braid.evaluate('asked', '{\"collection\": \"small\"}'),"
    ' braid.evaluate(\'asked\', \'{"mode": "full_text", "collection": "small"}\'), 100)',
    "create_query_set": "create_query_set('another')",
    "create_tenant": "create_tenant('gamma')",
    "current_tenant_id": "current_tenant_id()",
    "cut_over_model_migration": "cut_over_model_migration('moving')",
    "delete_document": "delete_document('doc1', 'small')",
    "delete_documents": "delete_documents('{doc1,doc2}', 'small')",
    "delete_profile": "delete_profile('ana')",
    "drop_collection": "drop_collection('another')",
    "drop_embedding_jobs": "drop_embedding_jobs('{1}', 'small')",
    "drop_query_set": "drop_query_set('asked')",
    "drop_ranking_model": "drop_ranking_model('learned')",
    "drop_tenant": "drop_tenant('nobody', 'nobody')",
    "tune": 'tune(\'tuned\', \'{"k1": [2]}\', 2, \'{"mode": "full_text", "collection": "small"}\')',
    "plan_tuning": 'plan_tuning(\'tuned\', \'{"k1": [2]}\', 2, \'{"mode": "full_text", "collection": "small"}\')',
    "choose_configuration": "choose_configuration((select jsonb_agg(braid.evaluate('tuned',"
    ' \'{"collection": "small", "mode": "full_text"}\')) from generate_series(1, 2)))',
    "evaluate": "evaluate('asked', '{\"collection\": \"small\"}')",
    "embedded_text": "embedded_text('discount', collection => 'small')",
    "explain_score": "explain_score('discount', array(select s.chunk_id"
    " from braid.full_text_search('discount', collection => 'small') s), collection => 'small')",
    "export_tenant": "export_tenant()",
    "explain_search": "explain_search('discount', collection => 'small')",
    "extract_timeframe": "extract_timeframe('discounts of last week')",
    "facets": "facets('{speaker}', collection => 'small')",
    "fail_embedding_jobs": "fail_embedding_jobs('{1}', 'x', 'small')",
    "finish_model_migration": "finish_model_migration('moved')",
    "full_text_search": "full_text_search('discount', collection => 'small')",
    "get_document": "get_document('doc1', 'small')",
    "get_profile": "get_profile('ana')",
    "get_ranking_model": "get_ranking_model('learned')",
    "get_query_embedding": "get_query_embedding('discount', 'small')",
    "health": "health()",
    "highlight": "highlight((select chunk_id from braid.full_text_search('discount', 1, collection => 'small')),"
    " 'discount')",
    "hybrid_search": "hybrid_search('discount', collection => 'small')",
    "import_tenant": "import_tenant('[]')",
    "embedding_backlog": "embedding_backlog()",
    "embedding_usage": "embedding_usage()",
    "judge_agreement": "judge_agreement('asked', 'second')",
    "judgments_from_clicks": "judgments_from_clicks('asked', 'small')",
    "learn_profile": "learn_profile('ana', '{doc1}', collection => 'small')",
    "list_embedding_jobs": "list_embedding_jobs(collection => 'small')",
    "apply_changes": "apply_changes('1 second')",
    "check_sync": "check_sync('public.synced')",
    "sync_status": "sync_status()",
    "sync_table": "sync_table('public.another', '{body}', tenant => 'default')",
    "unsync_table": "unsync_table('public.synced')",
    "list_documents": "list_documents('small')",
    "list_judgments": "list_judgments('asked', '1')",
    "list_queries": "list_queries('asked')",
    "list_query_sets": "list_query_sets()",
    "list_ranking_models": "list_ranking_models()",
    "list_profiles": "list_profiles()",
    "logged_multi_search": "logged_multi_search('[\"discount\"]', collection => 'small')",
    "logged_recall": "logged_recall('discount', collection => 'small')",
    "maintain": "maintain('1 second')",
    "measure_recall": "measure_recall('small')",
    "multi_search": "multi_search('[\"discount\"]', collection => 'small')",
    "parse_timeframe": "parse_timeframe('2026-01')",
    "pause_model_migration": "pause_model_migration('moving')",
    "pool_results": "pool_results('asked', '[{\"collection\": \"small\"}]')",
    "rebuild_index": "rebuild_index('small')",
    "rebuild_vector_index": "rebuild_vector_index('small')",
    "recall": "recall('discount', collection => 'small')",
    "recall_json": "recall_json('discount', collection => 'small')",
    "record_embedding_usage": "record_embedding_usage('alpha', 'test', 1, 1, 1)",
    "remove_tenant_member": "remove_tenant_member('default', 'nobody')",
    "remove_trusted_role": "remove_trusted_role('postgres', 'service')",
    "resume_model_migration": "resume_model_migration('moving')",
    "retry_embedding_jobs": "retry_embedding_jobs('{1}', 'small')",
    "roll_back_model_migration": "roll_back_model_migration('moving')",
    "record_feedback": "record_feedback(braid.search('discount', collection => 'small') #>> '{stats,search_id}',"
    " 'doc1', 'click')",
    "search": "search('discount', collection => 'small')",
    "sample_queries": "sample_queries('asked', 'small')",
    "search_json": "search_json('discount', collection => 'small')",
    "semantic_search": "semantic_search('[1,0,0]', collection => 'small')",
    "set_access": "set_access()",
    "set_document_defaults": "set_document_defaults('small', 4)",
    "set_indexed_attributes": "set_indexed_attributes('{}', 'small')",
    "set_profile": "set_profile('ana', '[0,0,1]', collection => 'small')",
    "set_query_embeddings": "set_query_embeddings('small', 5)",
    "apply_ranking": "apply_ranking('small', '{\"k1\": 3}', 'try')",
    "list_rankings": "list_rankings('small')",
    "restore_ranking": "restore_ranking('small', braid.apply_ranking('small', '{\"k1\": 4}', 'try'))",
    "set_ranking": "set_ranking('small', k1 => 2)",
    "set_search_log": "set_search_log('small')",
    "set_sparse_encoder": "set_sparse_encoder('small', '{}')",
    "set_synonyms": "set_synonyms('discount', '{rebate}')",
    "missing_token_vectors": "missing_token_vectors(collection => 'small')",
    "set_token_vectors": "set_token_vectors('small', 'test', 4)",
    "set_vector_index": "set_vector_index('small', hnsw_m => 8)",
    "similar_chunks": "similar_chunks((select chunk_id from braid.full_text_search('discount', 1,"
    " collection => 'small')))",
    "similar_documents": "similar_documents('doc1', collection => 'small')",
    "start_model_migration": "start_model_migration('small', 'another', 4)",
    "status": "status()",
    "store_judgments": "store_judgments('asked', '[]')",
    "ranking_features": "ranking_features('asked', '{\"collection\": \"small\"}')",
    "store_ranking_model": 'store_ranking_model(\'learned\', \'{"version": 1, "mode": "hybrid",'
    ' "features": ["score"], "weights": [2]}\')',
    "store_queries": "store_queries('asked', '[]', 'small')",
    "store_embeddings": "store_embeddings('{}', '{}', 'small')",
    "store_query_embedding": "store_query_embedding('discount', '[1,0,0]', 'small')",
    "store_sparse_terms": "store_sparse_terms('{}', '[]', 'small')",
    "store_token_vectors": "store_token_vectors('{}', '{}', '{}', 'small')",
    "update_metadata": "update_metadata('doc1', '{}', collection => 'small')",
    "upsert_document": "upsert_document('doc1', 'x', collection => 'small')",
    "upsert_documents": "upsert_documents('[]', 'small')",
    "upsert_embedded_documents": "upsert_embedded_documents('[]', '{}', 'small')",
    "claim_embedding_jobs": "claim_embedding_jobs(collection => 'small')",
    "clear_collection": "clear_collection('small')",
    "version": "version()",
}


@pytest.fixture(scope="module")
def connections(world: World) -> dict[str, Connection]:
    for name in ("moving", "moved"):
        world.admin.execute("select braid.create_collection(%s, dimensions => 3, embedding_model => 'test')", (name,))
        world.admin.execute("select braid.start_model_migration(%s, 'another', 4)", (name,))
    world.admin.execute("select braid.maintain()")
    world.admin.execute("select braid.cut_over_model_migration('moved')")
    made = {}
    for role in MAY:
        login = world.role(role, *([] if role == "none" else [role]))
        world.member("alpha", login)
        made[role] = world.connect(login, braid__tenant="alpha")
    for table in ("synced", "another"):
        world.admin.execute(f"create table public.{table} (id int primary key, body text)")
        world.admin.execute(f"alter table public.{table} owner to {made['administrator'].info.user}")
        world.admin.execute(f"grant select on public.{table} to public")
    world.admin.execute("select braid.sync_table('public.synced', '{body}', tenant => 'alpha')")
    return made


@pytest.mark.parametrize("role", MAY)
@pytest.mark.parametrize("function", CALLS)
def test_a_role_runs_what_it_should_and_nothing_else(
    connections: dict[str, Connection], function: str, role: str
) -> None:
    connection = connections[role]
    with connection.transaction(force_rollback=True):
        if function in MAY[role]:
            connection.execute(f"select * from braid.{CALL[function]}")
        else:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                connection.execute(f"select * from braid.{CALL[function]}")


@pytest.mark.parametrize("role", MAY)
def test_no_role_writes_to_a_table(world: World, connections: dict[str, Connection], role: str) -> None:
    tables = world.admin.execute(
        "select c.oid::regclass::text, (select attname from pg_attribute where attrelid = c.oid and attnum > 0"
        " and attidentity = '' order by attnum limit 1) from pg_class c"
        " where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')"
    ).fetchall()
    for table, column in tables:
        for statement in (
            f"insert into {table} default values",
            f"update {table} set {column} = {column}",
            f"delete from {table}",
            f"truncate {table}",
            f"copy {table} from stdin",
            f"select from {table} for update",
            f"alter table {table} disable row level security",
            f"create index on {table} ({column})",
            f"create trigger t before insert on {table} for each row execute function"
            f" suppress_redundant_updates_trigger()",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connections[role].execute(statement)


@pytest.mark.parametrize("role", MAY)
def test_no_role_changes_the_schemas(connections: dict[str, Connection], role: str) -> None:
    for statement in (
        "create table braid.t ()",
        "create table braid_store.t ()",
        "create function braid.f() returns int language sql as 'select 1'",
        "create function braid_store.f() returns int language sql as 'select 1'",
        "create or replace function braid.current_tenant_id() returns int language sql as 'select 1'",
        "alter function braid.version() set search_path = public",
        "drop policy tenant_isolation on braid_store.documents",
        "create policy all_rows on braid_store.documents using (true)",
        "comment on function braid.version() is ''",
        "drop function braid.version()",
        "alter view braid.collections set (security_invoker = false)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connections[role].execute(statement)
