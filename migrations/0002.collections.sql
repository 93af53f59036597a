-- Corpus definitions, shared by tenants and changed by administrators only.
-- depends: 0001.tenancy

create table braid_store.vector_spaces (
    id int generated always as identity primary key,
    embedding_model text not null,
    dimensions int not null check (dimensions between 1 and 16000),
    distance text not null check (distance in ('cosine', 'inner_product', 'l2')),
    unique (embedding_model, dimensions, distance)
);
comment on table braid_store.vector_spaces is
    'What makes two vectors comparable: the model that made them, their dimensions and the distance.';

create table braid_store.collections (
    id int generated always as identity primary key,
    name text collate "C" not null unique check (octet_length(name) between 1 and 255),
    vector_space_id int not null references braid_store.vector_spaces (id),
    -- The name, not a regconfig: an OID does not survive a dump.
    text_config text not null,
    fold_diacritics boolean not null,
    k1 float8 not null check (k1 >= 0 and k1 < 'infinity'),
    b float8 not null check (b between 0 and 1),
    title_weight float8 not null check (title_weight >= 0 and title_weight < 'infinity'),
    chunk_tokens int not null check (chunk_tokens between 16 and 100000),
    index_fields text[] not null check (index_fields <@ '{title,speaker,content}'),
    embed_fields text[] not null check (embed_fields <@ '{title,speaker,content}'),
    full_text_weight float8 not null check (full_text_weight >= 0 and full_text_weight < 'infinity'),
    semantic_weight float8 not null check (semantic_weight >= 0 and semantic_weight < 'infinity'),
    vector_storage text not null check (vector_storage in ('vector', 'halfvec', 'binary')),
    hnsw_m int not null check (hnsw_m between 2 and 100),
    hnsw_ef_construction int not null check (hnsw_ef_construction between 4 and 1000),
    fusion text not null,
    normalisation text not null,
    rrf_k float8 not null check (rrf_k >= 0 and rrf_k < 'infinity'),
    created_at timestamptz not null default now()
);
create index collections_vector_space_idx on braid_store.collections (vector_space_id);
comment on table braid_store.collections is
    'Named corpus definitions. Each tenant has its own part of every collection; names are visible to all.';

create table braid_store.dropped_collections (
    id int primary key,
    dropped_at timestamptz not null default now()
);
comment on table braid_store.dropped_collections is
    'Collections that are gone, whose rows maintenance still has to delete.';
