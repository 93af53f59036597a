-- Changes of synced tables that fire no trigger are noticed.
-- depends: 0040.metadata_lists

-- The files of a table, its triggers and its types, when they were last looked at; null: not yet.
alter table braid_store.synced_tables
    drop column parts,
    add column storage jsonb;

-- A crash empties unlogged tables, so this one tells whether others were emptied.
create unlogged table braid_store.crash_marks (
    id uuid primary key default gen_random_uuid()
);
comment on table braid_store.crash_marks is
    'One row, if an unlogged table is synced. After a crash it is gone, as the rows of that table are.';

-- Changes that failed, or whose documents were locked, are looked up apart from those that nobody has tried.
create index row_changes_retry_idx on braid_store.row_changes (synced_table_id, retry_at) where retry_at is not null;
