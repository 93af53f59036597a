-- How large tables, and tenants' parts of collections, were on each day; and roles that watch.
-- depends: 0029.measured_recall

create table braid_store.daily_table_sizes (
    day date not null,
    table_name text collate "C" not null,
    row_bytes bigint not null,
    index_bytes bigint not null,
    primary key (day, table_name)
);
comment on table braid_store.daily_table_sizes is
    'How large tables were when maintenance first ran on a day (UTC): rows with what is stored out of line, and indexes. Tables '
    'of one kind, such as vector shards, are one row. Kept for 400 days.';

create table braid_store.daily_part_sizes (
    tenant_id int not null,
    collection_id int not null,
    day date not null,
    chunk_count bigint not null,
    token_count bigint not null,
    vector_count bigint not null,
    byte_count bigint not null,
    primary key (tenant_id, collection_id, day)
);
create index daily_part_sizes_day_idx on braid_store.daily_part_sizes (day, tenant_id);
comment on table braid_store.daily_part_sizes is
    'How large a tenant''s part of a collection was on the days on which it was another size than before: chunks, their tokens '
    'in the full-text index, vectors in shards, and about how many bytes. Kept for 400 days.';
alter table braid_store.daily_part_sizes
    alter column tenant_id set statistics 0,
    alter column collection_id set statistics 0,
    alter column day set statistics 0,
    alter column chunk_count set statistics 0,
    alter column token_count set statistics 0,
    alter column vector_count set statistics 0,
    alter column byte_count set statistics 0;

alter table braid_store.trusted_roles
    drop constraint trusted_roles_kind_check,
    add constraint trusted_roles_kind_check check (kind in ('gateway', 'service', 'administrator', 'monitor'));
