-- Documents and chunks. Writers share a lock of their tenant's part of the collection, which drops take alone, so that
-- documents carry no foreign key to tenants or collections: its row lock would make those few rows hot for every writer.
--
-- Tables that every write changes, here and in what follows: by default autovacuum comes when a fifth of a table is dead,
-- and until then deleted rows keep their room, and searches step over them in the indexes. A twentieth is still one pass
-- over the indexes for many dead rows; tables that are small beside what passes through them have a fiftieth.
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
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.documents is
    'What users put in, by their own id. content_hash covers all that reaches an index, attribute_hash '
    'the rest (null after an update of the metadata alone): unchanged means no work.';
comment on column braid_store.documents.tenant_id is 'The tenant that stored it.';
comment on column braid_store.documents.id is
    'The number that the tenant''s chunks refer to. Given by the database, never used again.';
comment on column braid_store.documents.collection_id is 'The collection that it is in.';
comment on column braid_store.documents.external_id is
    'The id that the user gave it. Writing the same id again replaces the document.';
comment on column braid_store.documents.title is
    'Indexed and embedded with each chunk, if the collection says so; shown in results.';
comment on column braid_store.documents.source_uri is 'Where the document came from, as the user gave it.';
comment on column braid_store.documents.metadata is 'Keys and values of the user''s own, for filters.';
comment on column braid_store.documents.content_hash is
    'A hash of all that reaches an index. If a new version has the same, its chunks stay as they are.';
comment on column braid_store.documents.attribute_hash is
    'A hash of the rest: what filters read, and what results show. Null after update_metadata.';
comment on column braid_store.documents.occurred_at is 'The time of what the document is about, as the user gave it.';
comment on column braid_store.documents.created_at is 'When it was first written.';
comment on column braid_store.documents.updated_at is 'When it was last written or its metadata changed.';

create table braid_store.chunks (
    tenant_id int not null,
    id bigint generated always as identity,
    collection_id int not null,
    document_id bigint not null,
    chunk_index int not null,
    attribute_version int not null default 0,
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
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Only operators that are leakproof (= and < on these types) can use an index under row-level security.
create index chunks_occurred_at_idx on braid_store.chunks (tenant_id, collection_id, occurred_at);
create index chunks_speaker_idx on braid_store.chunks (tenant_id, collection_id, speaker);
create index chunks_category_idx on braid_store.chunks (tenant_id, collection_id, category);
create index chunks_attribute_version_idx on braid_store.chunks (tenant_id, collection_id, attribute_version);
comment on table braid_store.chunks is
    'The units searched. A chunk''s text never changes: a changed document gets new chunks. metadata is the '
    'document''s with the chunk''s own keys on top; changing it touches no index.';
comment on column braid_store.chunks.tenant_id is 'The tenant that stored it.';
comment on column braid_store.chunks.id is
    'The number that everything derived from the chunk refers to. Given by the database, never used again.';
comment on column braid_store.chunks.collection_id is 'The collection that its document is in.';
comment on column braid_store.chunks.document_id is 'The document that it is a part of.';
comment on column braid_store.chunks.chunk_index is 'Its place in the document, from 0.';
comment on column braid_store.chunks.attribute_version is
    'The greatest id of an indexed attribute that was known when the chunk was last written. For that attribute and '
    'all before it, the chunk has its rows in chunk_attributes. Filters look at chunks with a smaller number one by '
    'one, until maintain() has indexed them.';
comment on column braid_store.chunks.content is 'The text of the chunk. Neighbours may share some words.';
comment on column braid_store.chunks.token_count is 'About how many tokens of the embedding model the text has.';
comment on column braid_store.chunks.speaker is 'Who says it.';
comment on column braid_store.chunks.category is 'A category of the user''s own.';
comment on column braid_store.chunks.importance is 'A number of the user''s own, for filters and boosts.';
comment on column braid_store.chunks.occurred_at is 'The time of what the document is about, as the user gave it.';
comment on column braid_store.chunks.language is 'The language of the text, if it is another than the collection''s.';
comment on column braid_store.chunks.metadata is 'The document''s metadata with the chunk''s own keys on top.';
comment on column braid_store.chunks.created_at is 'When the chunk was written.';

-- Row-level security keeps filters from the usual indexes of JSON, whose operators are not leakproof, so the values of
-- indexed attributes are rows of text and float8.
create table braid_store.chunk_attributes (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    attribute_id int not null,
    element int not null,
    text_value text collate "C",
    number_value float8,
    primary key (tenant_id, chunk_id, attribute_id, element),
    check (num_nonnulls(text_value, number_value) = 1)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index chunk_attributes_text_idx on braid_store.chunk_attributes (tenant_id, attribute_id, text_value, chunk_id)
    where text_value is not null;
create index chunk_attributes_number_idx on braid_store.chunk_attributes (tenant_id, attribute_id, number_value, chunk_id)
    where number_value is not null;
comment on table braid_store.chunk_attributes is
    'The values that chunks have for indexed attributes, as far as they are of the attribute''s type: a scalar as element 0, '
    'distinct elements of an array from 1. Shortened and rounded (see braid_store.attribute_number), never out of order: '
    'what an index finds here is a superset, and the metadata decides.';
