-- The sparse leg: weighted terms of chunks, made outside, their index, and tables of weights that make terms of a query's words.
-- depends: 0018.bm25_variant

create table braid_store.sparse_rows (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    terms text collate "C" not null,
    weights real[] not null,
    primary key (tenant_id, collection_id, chunk_id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table braid_store.sparse_rows is
    'The weighted terms of a chunk, as they were given: the terms in "C" order, separated by line breaks, and the weight of '
    'each. Sparse scores are computed from it.';

create table braid_store.sparse_segments (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity (increment by -1),
    chunk_count int not null,
    posting_count bigint not null,
    max_weight float8 not null,
    terms text collate "C" not null,
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.sparse_segments is
    'Immutable pieces of the index of sparse rows. Their lists are in postings, under a space and the term, as no lexeme has '
    'a space, and with an id below 0. An impact is the weight in 2047ths of max_weight, rounded up. terms: all that have a '
    'list, separated by line breaks. A chunk whose terms were replaced or deleted may still be in the lists, which are only '
    'bounds.';

create table braid_store.sparse_segment_chunks (
    tenant_id int not null,
    collection_id int not null,
    segment_id bigint not null,
    chunk_number int not null,
    chunk_id bigint not null,
    primary key (tenant_id, collection_id, segment_id, chunk_number)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index sparse_segment_chunks_chunk_idx on braid_store.sparse_segment_chunks (tenant_id, chunk_id);
comment on table braid_store.sparse_segment_chunks is
    'The local numbers of a sparse segment, from 1, and the chunks they stand for. Numbers of chunks whose terms were '
    'replaced or deleted are taken out. A chunk may be in several segments: one of them, or unindexed_sparse_rows, has its '
    'terms of now.';

create table braid_store.unindexed_sparse_rows (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    chunk_id bigint not null,
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.unindexed_sparse_rows is
    'Chunks whose sparse rows were written lately, a row for each write: searches read these sparse rows one by one until '
    'maintain(), or a writer who finds many, puts them into a segment. Rows are only inserted and deleted, and locked ones '
    'passed over, so that nobody waits.';

create table braid_store.sparse_encoders (
    id int generated always as identity primary key,
    name text not null unique check (octet_length(name) between 1 and 255),
    max_piece_length int not null
);
comment on table braid_store.sparse_encoders is
    'Tables of weights by which searches make weighted terms of a query''s words. max_piece_length: of its longest term, in '
    'characters.';

create table braid_store.sparse_encoder_terms (
    encoder_id int not null references braid_store.sparse_encoders on delete cascade,
    term text collate "C" not null,
    weight real not null check (weight >= 0),
    primary key (encoder_id, term)
);
comment on table braid_store.sparse_encoder_terms is
    'The terms of a sparse encoder with their weights. A term that begins with ## stands for the rest of a word. Weight 0: it '
    'takes its place in a word and counts for nothing.';

do $$
declare
  v_column record;
begin
  for v_column in
    select a.attrelid::regclass as relation, a.attname as name
    from pg_catalog.pg_attribute a
    where a.attrelid = any (array['braid_store.sparse_rows', 'braid_store.sparse_segments', 'braid_store.sparse_segment_chunks',
                                  'braid_store.unindexed_sparse_rows']::regclass[])
      and a.attnum > 0 and not a.attisdropped
  loop
    execute format('alter table %s alter column %I set statistics 0', v_column.relation, v_column.name);
  end loop;
end
$$;

alter table braid_store.collections
    add column sparse_weight float8 not null default 0.3,
    add column sparse_encoder text;
-- As by default: shares that are divided by their sum, or weights of 1.
update braid_store.collections set sparse_weight = 1 where fusion in ('rrf', 'max');
comment on column braid_store.collections.sparse_weight is
    'The weight of the sparse score in searches that have one and give no weight.';
comment on column braid_store.collections.sparse_encoder is
    'The sparse encoder that makes terms of a query''s words; null if there is none.';

alter type braid_store.fused_candidate
    add attribute sparse_score float8,
    add attribute sparse_normalised_score float8,
    add attribute sparse_rank int;
comment on type braid_store.candidate is
    'A chunk that one leg, full text, semantic or sparse search, found, with its score and its rank there.';

alter type braid.search_result
    add attribute sparse_score float8,
    add attribute sparse_normalised_score float8,
    add attribute sparse_rank int;
comment on column braid.search_result.sparse_score is
    'The sum of the query''s weights × those of the chunk, over the terms that both have; 0 if they share none. Null if there '
    'was no sparse search, or if, with the fusion rrf, it did not find the chunk.';
comment on column braid.search_result.sparse_normalised_score is 'The sparse score on the scale that the fusion uses.';
comment on column braid.search_result.sparse_rank is
    'The rank in the sparse search, from 1. Null if it did not find the chunk among its candidates.';

alter type braid_store.search_options
    add attribute sparse jsonb,
    add attribute sparse_weight float8,
    add attribute sparse_min_score float8,
    add attribute sparse_normalisation text;

alter type braid_store.search_request add attribute sparse braid_store.text_query;
comment on type braid_store.search_request is
    'A search as all its parts see it: made once from the arguments, then handed down. collection has the weights, '
    'fusion, rrf_k and language that the search asks for in place of its own, and the weight 0 for a leg that the search does '
    'not have. legs: full_text, semantic or sparse alone, hybrid, or '
    'prefilter (what full text finds, in the order of similarity). query_text: the part of the text that is searched; '
    'is_cut: it is not all; tokens: those of query_text. sparse: the weighted terms that are searched for; null if there is '
    'no sparse search. Each leg gives candidate_count candidates. If too few rows are left and may_grow is true, '
    'it is asked for more, up to most_candidates. For pages: fingerprint identifies the query; rows_before is how '
    'many rows or groups came before this page; is_listed: pages go on beyond the candidates of the first page.';

alter type braid_store.found_candidates add attribute sparse braid_store.candidate[];
alter type braid_store.examined_chunk add attribute sparse_score float8;
alter type braid_store.document_input add attribute sparse jsonb;
