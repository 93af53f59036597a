-- Requests to embedding services, and daily sizes of tables and of tenants' parts of collections.
-- depends: 0001.baseline

-- A row is updated often: fillfactor leaves space for new versions in its page.
create table braid_store.embedding_usage (
    tenant_id int not null,
    embedding_model text collate "C" not null check (octet_length(embedding_model) between 1 and 255),
    day date not null,
    request_count bigint not null,
    text_count bigint not null,
    token_count bigint not null,
    estimated_token_count bigint not null,
    cost numeric,
    primary key (tenant_id, embedding_model, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
-- This index finds old rows.
create index embedding_usage_day_idx on braid_store.embedding_usage (day, tenant_id);
comment on table braid_store.embedding_usage is
    'Requests of workers to embedding services, by tenant, model and day (UTC): requests, texts, tokens, and their '
    'cost. estimated_token_count: the tokens in token_count that a service did not report.';

create table braid_store.daily_table_sizes (
    day date not null,
    table_name text collate "C" not null,
    row_bytes bigint not null,
    index_bytes bigint not null,
    primary key (day, table_name)
);
comment on table braid_store.daily_table_sizes is
    'Sizes of tables when maintenance first ran on a day (UTC): rows with TOAST, and indexes. Tables of one kind, '
    'such as vector shards, are one row. Kept for 400 days.';

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
    'Sizes of a tenant''s part of a collection, on days on which its size changed: chunks, their tokens in the '
    'full-text index, vectors in shards, and estimated bytes. Kept for 400 days.';
