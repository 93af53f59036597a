-- Embeddings, in two levels: chunk_vectors takes every write and is scanned exactly; a tenant's part of a collection
-- that has grown is moved by maintenance into a vector shard, a table of its own with its own HNSW index.
-- depends: 0004.full_text

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

-- A row that fits a page stays in it: an exact scan then never detoasts, 18 against 31 ms for 8,000 rows of 1,024
-- dimensions.
create table braid_store.chunk_vectors (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    chunk_id bigint not null,
    embedding vector not null,
    primary key (tenant_id, collection_id, vector_space_id, chunk_id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);
alter table braid_store.chunk_vectors alter column embedding set storage external;
comment on table braid_store.chunk_vectors is
    'Embeddings as they are written. What a vector shard holds of the same chunk, this overrides. A chunk with a row in '
    'neither is not embedded yet.';

-- Not in chunk_vectors' partitions: a shard has a type of its own (halfvec halves an exact scan), and attaching a
-- partition would lock, and make every session plan anew, what all tenants read.
create table braid_store.vector_shards (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    id int generated always as identity,
    storage text not null check (storage in ('vector', 'halfvec', 'binary')),
    hnsw_m int not null,
    hnsw_ef_construction int not null,
    state text not null check (state in ('copying', 'indexing', 'serving', 'retired')),
    -- Where copying goes on, and, once the shard serves, deleting what was copied.
    copied_chunk_id bigint not null default -9223372036854775808,
    forgotten_chunk_id bigint not null default -9223372036854775808,
    vector_count bigint not null default 0,
    -- hnsw.ef_search for the 10, and for the 100, nearest, as calibrate_shard chose it; null: the index is not used.
    ef_search int,
    ef_search_100 int,
    recall float8,
    is_outdated boolean not null default false,
    created_at timestamptz not null default now(),
    served_at timestamptz,
    -- Transactions with a snapshot older than this one may still read a retired shard.
    retired_by xid8,
    primary key (tenant_id, collection_id, vector_space_id, id)
);
create unique index vector_shards_serving_idx on braid_store.vector_shards (tenant_id, collection_id, vector_space_id)
    where state = 'serving';
create unique index vector_shards_moving_idx on braid_store.vector_shards (tenant_id, collection_id, vector_space_id)
    where state in ('copying', 'indexing');
-- Of thousands of shards hardly any is in work.
create index vector_shards_unfinished_idx on braid_store.vector_shards (state, tenant_id) where state <> 'serving';
comment on table braid_store.vector_shards is
    'The vector shards: each a table vectors_<id>. One serves a tenant''s part of a collection; the next one is copied '
    'and indexed beside it; making that one serve is a change of data, which every reader sees from its next snapshot on.';

create table braid_store.centroids (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    mean vector not null,
    mean_square float8 not null,
    vector_count bigint not null,
    computed_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, collection_id, vector_space_id)
);
comment on table braid_store.centroids is
    'The mean of the vectors (under cosine, of these brought to length 1) of a tenant''s part of a collection, and the mean '
    'of their squared lengths, of parts with over 1000 vectors. Only maintenance writes it, so that no write waits for it.';

create table braid_store.vector_settings (
    only_row boolean primary key default true check (only_row),
    exact_rows int not null default 8000 check (exact_rows > 0)
);
comment on table braid_store.vector_settings is
    'One row: from how many vectors of 384 dimensions on an index is faster than a scan, as braid.calibrate() measured it.';
comment on column braid_store.vector_settings.only_row is 'Always true: it keeps the table at one row.';
comment on column braid_store.vector_settings.exact_rows is
    'The number of vectors, of 384 dimensions, from which on an index is worth making. More dimensions need fewer.';
insert into braid_store.vector_settings default values;
