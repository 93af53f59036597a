-- Tables of the user's own whose rows are kept as documents.
-- depends: 0001.baseline

create table braid_store.synced_tables (
    id int generated always as identity primary key,
    -- The table's name at the last visit. Its triggers tell the present name.
    table_name text not null,
    table_owner text not null,
    collection_id int not null,
    -- The tenant of all rows; null if each row names its own.
    fixed_tenant_id int,
    -- The columns of each key of a document, of the filter and of the tenant; and number and type of each column.
    fields jsonb not null,
    columns jsonb not null,
    relation_id oid not null,
    -- The table's files, triggers and types at the last visit; null before the first.
    storage jsonb,
    mode text not null default 'deferred' check (mode in ('deferred', 'immediate')),
    on_error text not null check (on_error in ('keep', 'fail')),
    phase text not null default 'backfill' check (phase in ('backfill', 'sweep', 'follow', 'lost', 'end')),
    -- This counts in the phase end.
    keeps_documents boolean not null default false,
    -- The phase resumes after this key; null: it begins.
    reached_key jsonb,
    reached_tenant_id int not null default 0,
    applied_count bigint not null default 0,
    phase_count bigint not null default 0,
    phase_seconds float8 not null default 0,
    last_error text,
    created_at timestamptz not null default now()
);
comment on table braid_store.synced_tables is
    'The tables whose rows are kept as documents. Phases: backfill reads all rows once, in the order of their key. '
    'sweep deletes documents whose row is gone. follow processes only changes. lost notes nothing, because its '
    'collection or tenant was dropped. end deletes its documents, because unsync_table was called.';

-- One line for each row that a statement changed, added by a trigger in the transaction that changed it. Nobody updates
-- a line that another session may wait for.
create table braid_store.row_changes (
    synced_table_id int not null,
    id bigint generated always as identity,
    tenant text,
    -- Null: any row may have changed (truncate, or the trigger could not tell).
    key jsonb,
    attempts int not null default 0,
    retry_at timestamptz,
    last_error text,
    primary key (synced_table_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
-- Changes that failed, or whose documents were locked, have an index apart from changes that nobody has tried.
create index row_changes_retry_idx on braid_store.row_changes (synced_table_id, retry_at) where retry_at is not null;
comment on table braid_store.row_changes is 'Changed rows of synced tables that wait to be applied.';

create table braid_store.synced_rows (
    tenant_id int not null,
    collection_id int not null,
    external_id text collate "C" not null,
    synced_table_id int not null,
    primary key (tenant_id, collection_id, external_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index synced_rows_table_idx on braid_store.synced_rows (synced_table_id, tenant_id, external_id);
comment on table braid_store.synced_rows is
  'The documents that come from rows of synced tables, each with the id of its table.';

-- A crash empties unlogged tables, so this one tells whether others were emptied.
create unlogged table braid_store.crash_marks (
    id uuid primary key default gen_random_uuid()
);
comment on table braid_store.crash_marks is
    'One row, if an unlogged table is synced. A crash deletes it together with that table''s rows.';
