-- An inverted index in ordinary tables, log-structured: each ingest statement writes a segment; merges join them.
-- Everything here is derived from chunks and can be rebuilt.
-- depends: 0003.documents

set local role braid_owner;

create table braid_store.segments (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    chunk_count int not null,
    posting_count bigint not null,
    body_length bigint not null,
    title_length bigint not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, collection_id, id)
);
comment on table braid_store.segments is
    'Immutable pieces of the index, with totals over their chunks, the tombstoned included.';

create table braid_store.segment_chunks (
    tenant_id int not null,
    collection_id int not null,
    segment_id bigint not null,
    chunk_number int not null,
    chunk_id bigint not null,
    body_length int not null,
    title_length int not null,
    primary key (tenant_id, collection_id, segment_id, chunk_number),
    unique (tenant_id, chunk_id)
);
comment on table braid_store.segment_chunks is
    'A segment''s small local numbers and the chunks they stand for. Lengths are in tokens, stop words not counted.';

create table braid_store.postings (
    tenant_id int not null,
    collection_id int not null,
    lexeme text collate "C" not null,
    segment_id bigint not null,
    chunk_count int not null,
    chunk_numbers int[] not null,
    body_frequencies int[] not null,
    title_frequencies int[],
    body_lengths int[] not null,
    title_lengths int[],
    primary key (tenant_id, collection_id, lexeme, segment_id)
);
-- Segment first: beginning as the primary key does, and without statistics, it would be taken for a search by lexeme.
create index postings_segment_idx on braid_store.postings (segment_id, tenant_id, collection_id);
comment on table braid_store.postings is
    'Per lexeme and segment: the chunks (local numbers, ascending) with frequencies and lengths in parallel arrays. '
    'The title arrays are null where no chunk of the row has a title.';

create table braid_store.forward_rows (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    lexemes text[] collate "C" not null,
    body_frequencies int[] not null,
    title_frequencies int[] not null,
    positions int[] not null,
    primary key (tenant_id, chunk_id)
);
comment on table braid_store.forward_rows is
    'Per chunk: its lexemes in order, their frequencies, and their positions one lexeme after the other '
    '(title positions first, then body).';

create table braid_store.tombstones (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    body_length int not null,
    title_length int not null,
    primary key (tenant_id, collection_id, chunk_id)
);
comment on table braid_store.tombstones is
    'Deleted chunks that a segment still holds. Keyed by chunk, never by segment and local number: a merge that '
    'overlaps the delete would resurrect the chunk otherwise.';

create table braid_store.tombstone_terms (
    tenant_id int not null,
    collection_id int not null,
    lexeme text collate "C" not null,
    chunk_id bigint not null,
    primary key (tenant_id, collection_id, lexeme, chunk_id)
);
create index tombstone_terms_chunk_idx on braid_store.tombstone_terms (chunk_id, tenant_id, collection_id);
comment on table braid_store.tombstone_terms is
    'The lexemes of tombstoned chunks: what to subtract from a segment''s document frequencies.';

reset role;
