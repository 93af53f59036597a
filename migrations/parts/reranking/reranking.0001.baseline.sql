-- Vectors of the tokens of chunks, what users like, and models learned from judgments.
-- depends: 0001.baseline

create table braid_store.token_vectors (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    embedding_model text not null,
    dimensions int not null,
    vectors @vector@.halfvec[] storage external not null, -- Random numbers do not compress.
    primary key (tenant_id, collection_id, chunk_id)
);
comment on table braid_store.token_vectors is
    'Unit vectors of the tokens of a chunk, or of groups of tokens. Searches read the vectors whose embedding_model '
    'and dimensions match the collection''s.';

create table braid_store.profiles (
    tenant_id int not null,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    vector_space_id int,
    embedding @vector@.vector,
    attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, name),
    check ((vector_space_id is null) = (embedding is null))
);
comment on table braid_store.profiles is
    'Profiles: a vector and weights of attributes for each user, by which searches may boost. A vector is compared in '
    'its own vector space alone.';

create table braid_store.ranking_models (
    tenant_id int not null,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    model jsonb not null check (jsonb_typeof(model) = 'object'),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, name)
);
comment on table braid_store.ranking_models is
    'Ranking models as JSON: weights of the features of a candidate, and trees over them. Checked when they are '
    'written.';
