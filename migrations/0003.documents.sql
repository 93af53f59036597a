-- Documents and chunks. Writers hold a shared advisory lock per tenant and collection against drops, so documents
-- carry no foreign key to tenants or collections: its row lock would make those small rows hot for every writer.
-- depends: 0002.collections

create table braid_store.documents (
    tenant_id int not null,
    id bigint generated always as identity,
    collection_id int not null,
    external_id text collate "C" not null check (octet_length(external_id) between 1 and 1024),
    title text,
    source_uri text,
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    content_hash bytea not null,
    attribute_hash bytea,
    occurred_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, id),
    unique (tenant_id, collection_id, external_id)
);
comment on table braid_store.documents is
    'What users put in, by their own id. content_hash covers all that reaches an index, attribute_hash '
    'the rest (null after an update of the metadata alone): unchanged means no work.';

create table braid_store.chunks (
    tenant_id int not null,
    id bigint generated always as identity,
    collection_id int not null,
    document_id bigint not null,
    chunk_index int not null,
    content text not null,
    token_count int not null,
    speaker text collate "C",
    category text collate "C",
    importance float8,
    occurred_at timestamptz,
    language text collate "C",
    metadata jsonb not null default '{}',
    created_at timestamptz not null default now(),
    primary key (tenant_id, id),
    unique (tenant_id, document_id, chunk_index),
    foreign key (tenant_id, document_id) references braid_store.documents (tenant_id, id) on delete cascade
);
-- Only operators that are leakproof (= and < on these types) can use an index under row-level security.
create index chunks_occurred_at_idx on braid_store.chunks (tenant_id, collection_id, occurred_at);
create index chunks_speaker_idx on braid_store.chunks (tenant_id, collection_id, speaker);
create index chunks_category_idx on braid_store.chunks (tenant_id, collection_id, category);
comment on table braid_store.chunks is
    'The units searched. A chunk''s text never changes: a changed document gets new chunks. metadata is the '
    'document''s with the chunk''s own keys on top; changing it touches no index.';
