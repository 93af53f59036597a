-- Stored searches, and the documents that have matched them since.
-- depends: 0001.baseline

create table braid_store.standing_queries (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    query_text text not null,
    match text not null,
    filters jsonb,
    options jsonb,
    required_lexemes text[] collate "C" not null,
    excluded_lexemes text[] collate "C" not null,
    demands jsonb,
    is_plain boolean not null,
    query_count int not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, collection_id, id)
);
create unique index standing_queries_name_idx on braid_store.standing_queries (tenant_id, collection_id, name);
comment on table braid_store.standing_queries is
    'Stored searches that are matched when documents are written. Every chunk that matches has all of '
    'required_lexemes, or synonyms, and none of excluded_lexemes; demands is as demands_hold() takes it. is_plain: '
    'without synonyms, each chunk for which this holds matches, if it has a term of the query. query_count: how many '
    'queries of the tenant and collection there were with this one; dropped ones may be among them.';

create table braid_store.standing_query_terms (
    tenant_id int not null,
    collection_id int not null,
    is_prefix boolean not null,
    lexeme text collate "C" not null,
    query_id bigint not null,
    primary key (tenant_id, collection_id, is_prefix, lexeme, query_id)
);
create index standing_query_terms_query_idx
    on braid_store.standing_query_terms (tenant_id, collection_id, query_id);
comment on table braid_store.standing_query_terms is
    'By which lexemes a standing query is found: each chunk that its text matches has one of them, or a synonym. '
    'is_prefix: any lexeme that begins with this one.';

-- The vectors of all queries are read for each chunk, so they stand in rows of their own, as in chunk_vectors.
create table braid_store.standing_query_embeddings (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    query_id bigint not null,
    min_score float8 not null,
    embedding @vector@.vector storage external not null,
    primary key (tenant_id, collection_id, vector_space_id, query_id)
) with (toast_tuple_target = 8160);
comment on table braid_store.standing_query_embeddings is
    'Vectors of standing queries, and the least similarity of a chunk that matches.';

create table braid_store.standing_query_matches (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    query_id bigint not null,
    chunk_id bigint not null,
    kind text not null check (kind in ('full_text', 'semantic')),
    matched_at timestamptz not null default now(),
    claimed_until timestamptz,
    primary key (tenant_id, collection_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index standing_query_matches_chunk_idx on braid_store.standing_query_matches (tenant_id, chunk_id);
comment on table braid_store.standing_query_matches is
    'The outbox of matches: documents that matched a standing query when they were written. The transaction that '
    'writes a document writes its matches. chunk_id: the chunk that matched.';
