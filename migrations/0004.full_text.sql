-- An inverted index in ordinary tables, log-structured: each ingest statement writes a segment; merges join them.
-- Everything here is derived from chunks and can be rebuilt.
-- depends: 0003.documents

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

create table braid_store.segments (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    is_deletion boolean not null,
    chunk_count int not null,
    posting_count bigint not null,
    body_length bigint not null,
    title_length bigint not null,
    k1 float8 not null,
    b float8 not null,
    title_weight float8 not null,
    average_length float8 not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.segments is
    'Immutable pieces of the index. A deletion holds no postings, only what deleted chunks take from the statistics of '
    'the segments that still hold them: its counts and lengths are negative, so that statistics are sums. The BM25 '
    'parameters are those that its impacts were computed with.';

create table braid_store.segment_chunks (
    tenant_id int not null,
    collection_id int not null,
    segment_id bigint not null,
    chunk_number int not null,
    chunk_id bigint not null,
    primary key (tenant_id, collection_id, segment_id, chunk_number),
    unique (tenant_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.segment_chunks is 'A segment''s small local numbers, from 1, and the chunks they stand for.';

create table braid_store.postings (
    tenant_id int not null,
    collection_id int not null,
    lexeme text collate "C" not null,
    segment_id bigint not null,
    document_frequency int not null,
    posting_count int not null,
    elements int[],
    block_weight float8,
    blocks sparsevec[],
    primary key (tenant_id, collection_id, lexeme, segment_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Compressed arrays would have to be unpacked for each search.
alter table braid_store.postings alter column elements set storage external, alter column blocks set storage external;
comment on table braid_store.postings is
    'Per lexeme and segment, the chunks that contain it. An impact is the share of its idf that BM25 gives the lexeme in '
    'a chunk, in 2047ths, rounded up. Short lists are elements: chunk_number << 11 | impact, ascending. Lists of at least '
    '64 chunks and a 256th of the segment are blocks of 8192 numbers: impact times block_weight, by number in the block. '
    'document_frequency counts a title''s words once per document, at its first chunk. In a deletion: counts to '
    'subtract, and no lists.';

create table braid_store.forward_rows (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    body_length int not null,
    title_length int not null,
    is_first_chunk boolean not null,
    lexemes text collate "C" not null,
    position_ends smallint[] not null,
    positions smallint[] not null,
    title_frequencies smallint[],
    primary key (tenant_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.forward_rows is
    'What a chunk contributes to the index, and all that a score is computed from. Its lexemes in "C" order, separated '
    'by spaces; for each, the place in positions behind which the next one''s begin, and how many of its positions, the '
    'first, are in the title (null if none of any is). Lengths are in tokens, stop words not counted. Kept for a deleted chunk until no '
    'segment holds it.';

create table braid_store.tombstones (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    segment_id bigint not null,
    primary key (tenant_id, collection_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index tombstones_segment_idx on braid_store.tombstones (segment_id, tenant_id, collection_id);
comment on table braid_store.tombstones is
    'Deleted chunks that a segment still holds, with the deletion that counts them. Keyed by chunk, never by segment and '
    'local number: a merge that overlaps the delete would resurrect the chunk otherwise.';
