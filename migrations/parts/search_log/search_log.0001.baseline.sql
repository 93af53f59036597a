-- The search log: queries, times, and feedback of users on results.
-- depends: 0001.baseline

-- Searches add rows here. maintain() counts them and moves them to a table for each day, search_log_<day>, which
-- inherits from this one. Partitions would not do: dropping a partition locks the whole table against all searches.
create table braid_store.search_log (
    tenant_id int not null,
    search_id uuid not null,
    collection_id int not null,
    searched_at timestamptz not null,
    login text not null,
    mode text not null,
    semantic_mode text,
    query_text text,
    query_hash bytea,
    filters jsonb,
    match_count int not null,
    result_count int not null,
    is_first_page boolean not null,
    external_ids text[] not null,
    chunk_indexes int[] not null,
    is_underfilled boolean not null,
    warnings text[] not null,
    ranking text not null,
    configuration jsonb not null,
    sample_share float8 not null,
    query_time_ms float4 not null,
    compile_ms float4 not null,
    legs_ms float4 not null,
    ranking_ms float4 not null,
    rows_ms float4 not null,
    primary key (tenant_id, search_id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.search_log is
    'Searches that braid.logged_search has logged. A table for each day, search_log_<day>, inherits from this one. '
    'search_id begins with the time of the search.';

-- Only maintenance writes here, one session at a time.
create table braid_store.search_log_days (
    day date primary key,
    collection_ids int[] not null
);
comment on table braid_store.search_log_days is
    'The days (UTC) that the search log has a table for, and the collections that it still has searches of.';

create table braid_store.search_feedback (
    tenant_id int not null,
    search_id uuid not null,
    external_id text collate "C" not null,
    kind text collate "C" not null check (kind in ('click', 'dwell', 'rating', 'used_in_answer')),
    collection_id int not null,
    value float8 not null,
    rank int,
    login text not null,
    recorded_at timestamptz not null,
    primary key (tenant_id, search_id, external_id, kind)
);
comment on table braid_store.search_feedback is
    'Feedback of users on the results of logged searches: clicks, reading times, ratings and use in answers. A row '
    'is deleted together with its search.';

-- A row is updated each time that maintain() runs in the hour: fillfactor leaves space for new versions in its page.
create table braid_store.search_hours (
    tenant_id int not null,
    collection_id int not null,
    hour timestamptz not null,
    mode text collate "C" not null,
    semantic_mode text collate "C" not null,
    calls bigint not null,
    estimated_calls float8 not null,
    zero_hits bigint not null,
    underfilled bigint not null,
    warned bigint not null,
    total_ms float8 not null,
    square_ms float8 not null,
    min_ms float8 not null,
    max_ms float8 not null,
    compile_ms float8 not null,
    legs_ms float8 not null,
    ranking_ms float8 not null,
    rows_ms float8 not null,
    histogram bigint[] not null,
    primary key (tenant_id, collection_id, hour, mode, semantic_mode)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.search_hours is
    'Logged searches by the hour (UTC). square_ms: the sum of squares. Bucket i of histogram counts the searches '
    'that took at most 0.125 * 2 ^ ((i - 1) / 8) ms and longer than bucket i - 1. Trailing zeros are left out.';
