"""What every function must have: comment, pinned path, volatility, rights, owner, names."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from pgbraid.query_text import is_plain
from support.roles import definer_role, owner_role

# Act across tenants, hence owned by the tables' owner. Every other definer function is bound by the policies.
CROSS_TENANT = {
    "braid_calls.session_tenant_id",
    "braid_calls.session_tenant_key",
    "braid_store.request_tenant_key",
    "braid_store.add_embedding_usage",
    "braid_calls.administrator_findings",
    "braid_store.count_embedding_jobs",
    "braid_store.list_embedding_usage",
    "braid_store.list_storage",
    "braid_store.list_tenant_storage",
    "braid_store.list_storage_growth",
    "braid_store.list_tenant_growth",
    "braid_store.list_outbox",
    "braid_store.list_index_health",
    "braid_store.list_search_activity",
    "braid_store.insert_requested_tenant",
    "braid_store.insert_tenant",
    "braid_store.remove_tenant",
    "braid_store.set_tenant_member",
    "braid_store.set_trusted_role",
    "braid_store.session_is_anonymous",
    "braid_calls.login_is_known",
    "braid_store.update_access_settings",
    "braid_store.insert_collection",
    "braid_store.update_ranking",
    "braid_store.deploy_ranking",
    "braid_store.describe_rankings",
    "braid_store.return_to_ranking",
    "braid_store.remove_collection",
    "braid_store.replace_attributes",
    "braid_store.replace_sparse_encoder",
    "braid_store.replace_synonyms",
    "braid_store.start_model_change",
    "braid_store.step_model_change",
    "braid_store.maintain_all",
    "braid_store.measure_exact_rows",
    "braid_store.update_vector_index",
    "braid_store.update_document_defaults",
    "braid_store.update_token_vectors",
    "braid_store.update_query_embeddings",
    "braid_store.update_search_log",
    "braid_store.define_sync",
    "braid_store.find_sync",
    "braid_store.synced_relation",
    "braid_store.due_syncs",
    "braid_store.sync_faults",
    "braid_store.waiting_row",
    "braid_store.create_row_tenant",
    "braid_store.take_sync",
    "braid_store.next_changes",
    "braid_store.row_tenant_exists",
    "braid_store.end_changes",
    "braid_store.note_sync",
    "braid_store.next_synced_rows",
    "braid_store.sync_place",
    "braid_store.fail_sync",
    "braid_store.own_rows",
    "braid_store.disown_rows",
    "braid_store.sync_states",
    "braid_store.stored_rows",
    "braid_store.compare_documents",
    "braid_store.end_sync",
    "braid_store.drop_note_function",
    "braid_store.sync_is_outdated",
    "braid_store.next_ended_rows",
    "braid_store.apply_at_once",
}

# The API: whether it writes, and the arguments without a default. Calls name their arguments, so this is a promise.
API = {
    "abandon_embedding_jobs": ("writes", ["chunk_ids", "error"]),
    "add_trusted_role": ("writes", ["role", "kind"]),
    "remove_trusted_role": ("writes", ["role", "kind"]),
    "add_tenant_member": ("writes", ["tenant", "member"]),
    "apply_ranking": ("writes", ["collection", "ranking", "reason"]),
    "arrange_results": ("reads", ["chunk_ids", "scores"]),
    "apply_changes": ("writes", []),
    "assemble_context": ("reads", []),
    "calibrate": ("writes", []),
    "check_index": ("reads", []),
    "check_sync": ("writes", ["table_name"]),
    "choose_configuration": ("reads", ["evaluations"]),
    "claim_embedding_jobs": ("writes", []),
    "clear_collection": ("writes", []),
    "compare_evaluations": ("reads", ["baseline", "candidate"]),
    "conversation_timeline": ("reads", []),
    "create_collection": ("writes", ["collection"]),
    "create_query_set": ("writes", ["query_set"]),
    "create_tenant": ("writes", ["tenant"]),
    "current_tenant_id": ("reads", []),
    "cut_over_model_migration": ("writes", ["collection"]),
    "delete_document": ("writes", ["external_id"]),
    "delete_documents": ("writes", ["external_ids"]),
    "delete_profile": ("writes", ["profile"]),
    "drop_collection": ("writes", ["collection"]),
    "drop_embedding_jobs": ("writes", []),
    "drop_tenant": ("writes", ["tenant"]),
    "embedded_text": ("reads", ["query_text"]),
    "embedding_backlog": ("reads", []),
    "embedding_usage": ("reads", []),
    "drop_query_set": ("writes", ["query_set"]),
    "drop_ranking_model": ("writes", ["name"]),
    "evaluate": ("reads", ["query_set"]),
    "explain_score": ("reads", ["query_text", "chunk_ids"]),
    "explain_search": ("reads", []),
    "export_tenant": ("reads", []),
    "extract_timeframe": ("reads", ["query_text"]),
    "facets": ("reads", ["keys"]),
    "fail_embedding_jobs": ("writes", ["chunk_ids", "error"]),
    "finish_model_migration": ("writes", ["collection"]),
    "full_text_search": ("reads", ["query_text"]),
    "get_document": ("reads", ["external_id"]),
    "get_profile": ("reads", ["profile"]),
    "get_ranking_model": ("reads", ["name"]),
    "get_query_embedding": ("reads", ["embedded_text"]),
    "health": ("reads", []),
    "highlight": ("reads", ["chunk_id", "query_text"]),
    "hybrid_search": ("reads", []),
    "import_tenant": ("writes", ["records"]),
    "judge_agreement": ("reads", ["query_set", "judge"]),
    "judgments_from_clicks": ("writes", ["query_set"]),
    "learn_profile": ("writes", ["profile", "liked"]),
    "list_embedding_jobs": ("reads", []),
    "list_documents": ("reads", []),
    "list_judgments": ("reads", ["query_set", "query_id"]),
    "list_profiles": ("reads", []),
    "list_queries": ("reads", ["query_set"]),
    "list_query_sets": ("reads", []),
    "list_ranking_models": ("reads", []),
    "list_rankings": ("reads", []),
    "logged_multi_search": ("writes", ["queries"]),
    "logged_recall": ("writes", []),
    "maintain": ("writes", []),
    "measure_recall": ("writes", []),
    "missing_token_vectors": ("reads", []),
    "multi_search": ("reads", ["queries"]),
    "parse_timeframe": ("reads", ["timeframe"]),
    "pause_model_migration": ("writes", ["collection"]),
    "plan_tuning": ("reads", ["query_set"]),
    "pool_results": ("reads", ["query_set"]),
    "rebuild_index": ("writes", []),
    "rebuild_vector_index": ("writes", []),
    "recall": ("reads", []),
    "recall_json": ("reads", []),
    "record_feedback": ("writes", ["search_id", "external_id", "kind"]),
    "record_embedding_usage": (
        "writes",
        ["tenant", "embedding_model", "request_count", "text_count", "token_count"],
    ),
    "remove_tenant_member": ("writes", ["tenant", "member"]),
    "resume_model_migration": ("writes", ["collection"]),
    "restore_ranking": ("writes", ["collection", "version"]),
    "retry_embedding_jobs": ("writes", []),
    "roll_back_model_migration": ("writes", ["collection"]),
    "search": ("writes", []),
    "sample_queries": ("writes", ["query_set"]),
    "search_json": ("reads", []),
    "semantic_search": ("reads", ["query_embedding"]),
    "set_access": ("writes", []),
    "set_document_defaults": ("writes", ["collection"]),
    "set_indexed_attributes": ("writes", ["indexed_attributes"]),
    "set_profile": ("writes", ["profile"]),
    "set_query_embeddings": ("writes", ["collection"]),
    "set_ranking": ("writes", ["collection"]),
    "set_search_log": ("writes", ["collection"]),
    "set_sparse_encoder": ("writes", ["name", "weights"]),
    "set_synonyms": ("writes", ["word", "synonyms"]),
    "set_token_vectors": ("writes", ["collection", "embedding_model"]),
    "set_vector_index": ("writes", ["collection"]),
    "similar_chunks": ("reads", ["chunk_id"]),
    "similar_documents": ("reads", ["external_id"]),
    "start_model_migration": ("writes", ["collection", "embedding_model", "dimensions"]),
    "status": ("reads", []),
    "store_embeddings": ("writes", ["chunk_ids", "embeddings"]),
    "store_query_embedding": ("writes", ["embedded_text", "embedding"]),
    "store_judgments": ("writes", ["query_set", "judgments"]),
    "store_queries": ("writes", ["query_set", "queries"]),
    "store_ranking_model": ("writes", ["name", "model"]),
    "ranking_features": ("reads", ["query_set"]),
    "store_sparse_terms": ("writes", ["chunk_ids", "terms"]),
    "store_token_vectors": ("writes", ["chunk_ids", "vectors", "vector_counts"]),
    "sync_status": ("reads", []),
    "sync_table": ("writes", ["table_name"]),
    "tune": ("reads", ["query_set"]),
    "unsync_table": ("writes", ["table_name"]),
    "update_metadata": ("writes", ["external_id", "metadata"]),
    "upsert_document": ("writes", ["external_id"]),
    "upsert_documents": ("writes", ["documents"]),
    "upsert_embedded_documents": ("writes", ["documents", "embeddings"]),
    "version": ("reads", []),
}
# Searches that add a row to a log where there is one, and answer where nothing can be written.
LOGGED = {"logged_multi_search", "logged_recall", "search"}
SEARCHES = [
    "braid.conversation_timeline",
    "braid.arrange_results",
    "braid.assemble_context",
    "braid.facets",
    "braid.full_text_search",
    "braid.hybrid_search",
    "braid.multi_search",
    "braid.recall",
    "braid.recall_json",
    "braid.search_json",
    "braid.semantic_search",
    "braid.similar_chunks",
    "braid.similar_documents",
]

WRITES = re.compile(
    r"\b(insert into|update braid|delete from|merge into|for (no key )?update|for (key )?share"
    r"|lock table|nextval|create (table|index)|alter table|grant usage|pg_notify|random_normal|random\(\)"
    r"|gen_random_uuid|pg_get_functiondef)",
    re.I,
)


def test_every_function_has_a_comment(functions: Any) -> None:
    assert [f.full_name for f in functions if not f.comment.strip()] == []


def test_every_function_pins_its_search_path_with_pg_temp_last(functions: Any) -> None:
    wrong = {f.full_name: f.settings for f in functions if "search_path=pg_catalog, pg_temp" not in f.settings}
    assert wrong == {}


# So numbers, dates and bytes become the same text in every session (sql/core/99_privileges/5_settings.sql).
PINNED = {
    "extra_float_digits=1",
    "array_nulls=on",
    "bytea_output=hex",
    "quote_all_identifiers=off",
    "row_security=on",
    "IntervalStyle=postgres",
}


def test_what_sessions_call_depends_on_none_of_their_settings(functions: Any) -> None:
    """tests/core/isolation/test_settings.py compares what they answer and store."""
    wrong = {
        f.full_name: missing
        for f in functions
        if (f.full_name.startswith("braid.") or f.is_definer) and not f.name.startswith("note_rows_")
        for missing in [
            {known.lower() for known in PINNED} - {given.lower() for given in f.settings}
            or not any(given.lower().startswith("datestyle=iso") for given in f.settings)
        ]
        if missing
    }
    assert wrong == {}


def test_no_function_name_is_overloaded(functions: Any) -> None:
    assert [name for name, count in Counter(f.full_name for f in functions).items() if count > 1] == []


def test_every_argument_is_named(functions: Any) -> None:
    unnamed = [f.full_name for f in functions if len(f.argument_names) < f.all_argument_count or "" in f.argument_names]
    assert unnamed == []


def test_the_api_is_what_is_promised(functions: Any) -> None:
    found = {
        f.name: (
            "writes" if f.volatility == "v" else "reads",
            f.argument_names[: f.argument_count - f.default_count],
        )
        for f in functions
        if f.schema == "braid"
    }
    assert found == API


def test_the_api_runs_with_the_callers_rights(functions: Any) -> None:
    assert [f.full_name for f in functions if f.schema == "braid" and f.is_definer] == []


def test_definer_functions_are_owned_by_the_definer_except_those_across_tenants(catalog: Any, functions: Any) -> None:
    owner, definer = owner_role(catalog), definer_role(catalog)
    assert owner.startswith("braid_owner_") and definer.startswith("braid_definer_")
    assert {f.full_name for f in functions if f.is_definer and f.owner == owner} == CROSS_TENANT
    assert {f.full_name: f.owner for f in functions if f.owner not in (owner, definer)} == {}
    assert [f.full_name for f in functions if not f.is_definer and f.owner != owner] == []


def test_definer_functions_find_the_tenant_themselves(functions: Any) -> None:
    named = [f.full_name for f in functions if f.is_definer and "tenant_id" in f.argument_names]
    assert named == []
    # What writes for a tenant refuses to work without one.
    lax = [
        f.full_name
        for f in functions
        if f.is_definer
        and f.owner.startswith("braid_definer_")
        and not functions.calls(f)
        & {
            "braid_store.require_tenant_id",
            "braid_store.require_tenant_key",
            "braid_store.tenant_id_for_writing",
            "braid_store.tenant_id_of_user",
            "braid_calls.login_is_known",  # of those that read definitions, which are no tenant's
        }
    ]
    assert lax == []


def test_searches_read_one_snapshot(functions: Any) -> None:
    """A volatile function below would take a snapshot of its own, and could see a merge in between."""
    reached = functions.reached_from(*SEARCHES)
    assert len(reached) > 20
    assert sorted(name for name in reached if functions.named(name).volatility == "v") == []


def test_what_writes_is_volatile_and_nothing_else_is(functions: Any) -> None:
    writing = {f.full_name for f in functions if WRITES.search(re.sub(r"--[^\n]*", "", f.body))}

    def writes(full_name: str) -> bool:
        return not writing.isdisjoint(functions.reached_from(full_name))

    wrong = {f.full_name: f.volatility for f in functions if (f.volatility == "v") != writes(f.full_name)}
    assert wrong == {}


def test_immutable_functions_call_no_stable_ones(functions: Any) -> None:
    wrong = {
        f.full_name: sorted(called)
        for f in functions
        if f.volatility == "i"
        for called in [{name for name in functions.calls(f) if functions.named(name).volatility != "i"}]
        if called
    }
    assert wrong == {}


def test_only_functions_without_effects_are_parallel_safe(functions: Any) -> None:
    wrong = [f.full_name for f in functions if f.volatility == "v" and f.parallel != "u"]
    wrong += [
        f.full_name
        for f in functions
        if f.parallel == "s" and any(functions.named(name).parallel != "s" for name in functions.calls(f))
    ]
    # A parallel worker cannot begin the subtransaction of a block that catches errors.
    catching = re.compile(r"^\s*exception(?: when|$)", re.MULTILINE)
    wrong += [f.full_name for f in functions if f.parallel != "u" and catching.search(f.body)]
    # Nor may it change a setting.
    wrong += [f.full_name for f in functions if f.parallel != "u" and "set_config(" in f.body]
    assert wrong == []
    assert [name for name in SEARCHES if functions.named(name).parallel != "u"] == []


@pytest.mark.parametrize("kind", ["function", "table", "schema", "type", "sequence"])
def test_public_has_nothing(catalog: Any, kind: str) -> None:
    queries = {
        "function": "select p.oid::regprocedure::text from pg_proc p, aclexplode(coalesce(p.proacl, "
        "acldefault('f', p.proowner))) a where p.pronamespace::regnamespace::text in ('braid',"
        " 'braid_calls', 'braid_store') and a.grantee = 0",
        "table": "select c.oid::regclass::text from pg_class c, aclexplode(coalesce(c.relacl,"
        " acldefault('r', c.relowner))) a "
        "where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and c.relkind <> 'S' and a.grantee = 0 "
        "union all select c.oid::regclass || '.' || t.attname from pg_class c join pg_attribute t on"
        " t.attrelid = c.oid, "
        "aclexplode(t.attacl) a where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and a.grantee = 0",
        "sequence": "select c.oid::regclass::text from pg_class c, aclexplode(coalesce(c.relacl,"
        " acldefault('s', c.relowner))) a "
        "where c.relnamespace::regnamespace::text in ('braid', 'braid_store') and c.relkind = 'S' and a.grantee = 0",
        "schema": "select n.nspname::text from pg_namespace n, aclexplode(coalesce(n.nspacl,"
        " acldefault('n', n.nspowner))) a "
        "where n.nspname in ('braid', 'braid_calls', 'braid_store') and a.grantee = 0",
        # Row types of tables follow the tables, and array types their elements.
        "type": "select t.oid::regtype::text from pg_type t left join pg_class c on c.oid = t.typrelid, "
        "aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a where t.typnamespace::regnamespace::text in "
        "('braid', 'braid_store') and t.typelem = 0 and (t.typtype <> 'c' or c.relkind = 'c') and a.grantee = 0",
    }
    assert [name for (name,) in catalog.execute(queries[kind])] == []


def test_the_client_asks_for_what_has_spaces_and_quotation_marks_of_the_query_language(catalog: Any) -> None:
    spaces, quotes = catalog.execute("select braid_store.white_space(), braid_store.quotation_marks()").fetchone()
    assert len(spaces) > 20 and len(quotes) > 3
    assert not any(is_plain(f"a{space}b") for space in set(spaces) - {" "}) and is_plain("a b")
    assert not any(is_plain(f"a {quote}b c{quote}") for quote in quotes)
