"""Choose the tests of an area that run on another version of PostgreSQL than the default.

A file in this list tests what pgbraid does itself. The default version proves it, and each other version runs a sample:
what reads the server's catalogs, dumps, roles, triggers and grammar. `make test` runs a share of the other files, which
the seed of the run chooses. A file runs whole or not at all, because tests of one file may follow one another. Files in
WHOLE run on all versions, and without `--share` all other files do, too.
"""

from __future__ import annotations

from zlib import crc32

# The planner, the catalogs and the rules of roles are what differs most between versions.
WHOLE = ("core/catalog/", "core/isolation/", "core/plans/")

SAMPLE: dict[str, tuple[str, ...]] = {
    "core/filters/test_metadata_lists.py": (
        "test_filters_find_what_they_say_whatever_was_written_since",
        "test_maintenance_does_not_wait_for_other_maintenance",
        "test_check_index_compares_the_lists",
    ),
    "core/full_text/test_bm25_exact.py": (
        "test_scores_equal_bm25s",
        "test_ties_are_in_the_order_of_external_id_whatever_the_plan",
        "test_another_tenants_documents_change_no_score",
        "test_reads_its_own_writes",
        "test_an_old_snapshot_stays_exact_across_a_merge",
        "test_maintain_refuses_a_snapshot_of_the_transaction",
    ),
    "core/full_text/test_long_lists.py": ("test_rankings_equal_the_model",),
    "core/full_text/test_merge.py": (
        "test_single_inserts_are_merged_as_they_come",
        "test_a_delete_that_commits_after_a_merge_began_stays_deleted",
        "test_all_chunks_of_a_segment_deleted_while_a_merge_is_not_yet_committed",
        "test_a_merge_that_is_rolled_back_was_none",
        "test_no_merge_under_a_snapshot_of_the_transaction",
        "test_two_maintains_at_once",
        "test_a_session_that_knew_the_tables_small_does_not_read_them_whole",
    ),
    "core/isolation/test_two_databases.py": (
        "test_what_a_login_is_in_one_database_it_is_not_in_another[owner]",
        "test_a_copy_of_a_database_gets_roles_of_its_own",
        "test_a_restored_dump_refuses_until_it_is_installed[owner]",
        "test_uninstalling_takes_the_databases_own_roles_along",
    ),
    "core/postgrest/test_requests.py": (
        "test_reading_functions_run_in_a_read_only_transaction",
        "test_a_write_by_get_is_refused_by_the_transaction",
        "test_a_document_is_written_replaced_and_deleted",
        "test_each_tenant_is_served_its_own",
        "test_a_request_leaves_nothing_behind_for_the_next",
        "test_who_reads_may_not_write",
    ),
    "core/ranking/test_strategy.py": (),
    "core/upkeep/test_index_seconds.py": (
        "test_the_missing_time_is_told_everywhere",
        "test_an_interrupted_build_begins_anew",
        "test_two_maintainers_build_an_index_once",
    ),
    "core/upkeep/test_run_maintenance.py": (
        "test_a_call_finishes_what_a_call_of_maintain_cannot",
        "test_each_step_stays_although_a_later_one_fails",
        "test_it_refuses_a_transaction_of_the_caller",
        "test_services_and_administrators_call_it",
        "test_the_search_path_of_the_session_changes_nothing",
    ),
    "core/upkeep/test_space.py": (
        "test_a_write_that_began_before_the_change_is_kept",
        "test_moved_vectors_give_their_space_back",
        "test_a_load_leaves_no_more_than_half_of_the_live_bytes_dead",
    ),
    "endurance/test_dump_and_replica.py": ("test_an_owner_without_superuser_dumps_and_restores",),
    "endurance/test_failover.py": ("test_nothing_acknowledged_is_lost",),
    "endurance/test_kill.py": ("test_killed_again_and_again",),
    "endurance/test_shards_alive.py": ("test_writers_and_readers_while_shards_are_made",),
    "endurance/test_writers_and_readers.py": (),
    "install/test_absent_parts.py": ("test_a_plain_search_calls_nothing_of_parts",),
    "install/test_bundles_of_parts.py": ("test_a_bundle_has_the_parts_that_are_chosen",),
    "install/test_choice.py": ("test_two_sessions_add_parts_at_once",),
    "install/test_cli.py": ("test_the_life_of_an_embedded_server",),
    "install/test_embedded_settings.py": ("test_they_follow_the_memory_until_the_user_changes_them",),
    "install/test_extension.py": (
        "test_an_owner_without_superuser_creates_it",
        "test_a_dump_loses_nothing[custom-adopted and updated]",
        "test_dropping_it_asks_for_what_was_made_at_run_time",
    ),
    "install/test_install.py": (
        "test_a_fresh_install_works_and_reports_what_it_did",
        "test_a_second_run_writes_nothing",
        "test_repair_restores_what_was_damaged",
        "test_yoyos_tables_belong_to_the_owner_role_and_have_row_security",
        "test_a_database_owner_installs_where_pgvector_is_already",
        "test_a_login_that_cannot_grant_the_roles_of_others_is_told_so",
        "test_functions_of_an_earlier_version_are_replaced_or_gone",
        "test_functions_that_a_restore_gave_to_the_login_are_taken_back",
    ),
    "install/test_locks.py": (
        "test_readers_and_writers_go_on_during_upgrades",
        "test_an_upgrade_gets_its_turn_when_the_transaction_ends",
    ),
    "install/test_moving.py": (
        "test_a_dump_has_the_parts_that_its_database_has",
        "test_rows_alone_go_into_an_installation_with_the_same_parts",
    ),
    "install/test_parts.py": ("test_points_call_the_parts_that_are_there",),
    "install/test_removal.py": (
        "test_down_to_the_core_and_back",
        "test_objects_of_users_that_need_it_are_named",
    ),
    "install/test_sessions.py": ("test_under_settings_of_the_role", "test_the_bundle_by_psql"),
    "install/test_tle.py": ("test_it_is_created_updated_and_dropped",),
    "install/test_types.py": ("test_a_type_takes_the_order_of_its_file",),
    "install/test_uninstall.py": ("test_roles_go_with_the_last_database_that_uses_them",),
    "install/test_upgrade.py": (
        "test_an_upgrade_equals_a_fresh_install",
        "test_functions_that_stay_as_they_are_keep_what_sessions_prepared",
    ),
    "integrations/supabase/test_bundle.py": (
        "test_what_it_makes_equals_what_the_driver_makes",
        "test_each_role_may_do_its_part",
    ),
    "integrations/supabase/test_extension.py": (),
    "parts/model_change/test_model_change.py": (
        "test_from_start_to_finish",
        "test_an_old_snapshot_reads_the_old_space",
        "test_the_new_space_is_indexed_before_it_serves",
    ),
    "parts/monitoring/test_monitoring.py": (
        "test_storage_is_what_the_server_says",
        "test_nobody_waits_for_a_table_that_is_being_dropped",
        "test_index_health",
        "test_who_may_look",
        "test_partitions_count_as_their_table",
    ),
    "parts/permissions/test_access.py": (
        "test_logins_have_their_roles_and_groups",
        "test_a_revocation_holds_from_the_next_statement_on",
        "test_limited_writers",
        "test_claims_that_cannot_be_trusted_are_refused",
        "test_scores_are_those_of_the_tenant",
        "test_every_leg_is_full_of_what_one_may_read",
        "test_upkeep_of_a_limited_administrator_loses_nothing",
    ),
    "parts/search_log/test_roll_up.py": (
        "test_each_search_is_counted_once_and_moved_to_its_day",
        "test_a_reader_of_the_log_keeps_a_day_from_being_dropped_and_nobody_waits",
        "test_the_policy_and_the_privileges_of_a_days_table",
    ),
    "parts/sync/test_immediate.py": (
        "test_without_a_worker",
        "test_the_sessions_settings_do_not_matter",
        "test_it_is_part_of_the_transaction",
        "test_columns_change",
        "test_columns_that_are_not_stored",
        "test_triggers_that_change_the_row_again",
        "test_a_locked_document_is_not_waited_for",
    ),
    "parts/sync/test_lifecycle.py": (
        "test_an_upgrade[False]",
        "test_a_dump",
        "test_killed_again_and_again[deferred]",
    ),
    "parts/sync/test_modifications.py": (
        "test_a_statement_of_several_modifications",
        "test_random_statements",
    ),
    "parts/sync/test_one_row_of_many.py": (
        "test_a_locked_document",
        "test_errors_of_one_row",
        "test_a_users_first_row_creates_its_tenant_at_once",
    ),
    "parts/sync/test_synced_tables.py": (
        "test_rows_that_are_there_and_what_happens_to_them",
        "test_names_change",
        "test_a_column_is_dropped",
        "test_types_change",
        "test_the_table_is_dropped",
        "test_unsync",
        "test_another_key",
        "test_rows_without_a_key",
        "test_rows_are_read_in_the_order_of_the_index",
        "test_values_are_written_alike_in_every_session",
    ),
    "parts/transfer/test_transfer.py": (
        "test_another_database_gets_the_same_answers",
        "test_every_column_is_exported",
        "test_whatever_is_stored_comes_back",
    ),
    "parts/validity/test_validity.py": (
        "test_superseded_facts_are_found_at_their_time",
        "test_two_writers_of_one_fact_leave_no_gap_and_no_overlap",
        "test_maintain_deletes_what_has_expired",
        "test_a_tenant_supersedes_and_sees_its_own_facts",
        "test_standbys_answer_as_of",
    ),
    "python/test_rankings.py": ("test_versions_of_a_ranking",),
    "together/test_permitted_calls.py": (
        "test_a_call_shows_and_changes_nothing_hidden",
        "test_the_calls_would_show_it",
        "test_results_are_those_of_a_tenant_without_hidden_documents[analyst-collection]",
        "test_no_view_shows_it",
        "test_claims_name_groups",
    ),
    "together/test_synced_access.py": (
        "test_access_is_kept_in_step",
        "test_a_rule_in_sql_is_a_generated_column",
        "test_a_limited_login_changes_rows_of_others",
    ),
    "together/test_validity.py": ("test_all_searches_find_what_is_valid",),
}


def is_in_sample(file: str, name: str) -> bool:
    """Tell whether another version than the default runs a test of a file in `tests`. A name with parameters stands for
    one case, and a name without stands for all."""
    chosen = SAMPLE.get(file)
    return chosen is None or name in chosen or name.partition("[")[0] in chosen


def is_in_share(file: str, seed: str, share: int) -> bool:
    """Tell whether a run with `--share` takes a file. Other seeds take other files."""
    return file in SAMPLE or file.startswith(WHOLE) or crc32(f"{seed} {file}".encode()) % share == 0
