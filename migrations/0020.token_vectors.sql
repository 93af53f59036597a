-- Vectors of the tokens of chunks, for the option late_interaction of a search. Collections that exist store none.
-- depends: 0019.sparse

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

alter table braid_store.collections
    add column token_vector_model text,
    add column token_vector_dimensions int,
    add column token_vector_count int;
comment on column braid_store.collections.token_vector_model is
    'The model of the token vectors that chunks may have. Null: they have none.';
comment on column braid_store.collections.token_vector_dimensions is 'The length of these vectors.';
comment on column braid_store.collections.token_vector_count is 'How many of them a chunk may have at most.';

-- Random numbers do not compress.
create table braid_store.token_vectors (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    embedding_model text not null,
    dimensions int not null,
    vectors halfvec[] not null,
    primary key (tenant_id, collection_id, chunk_id)
);
alter table braid_store.token_vectors
    alter column vectors set storage external,
    alter column tenant_id set statistics 0,
    alter column collection_id set statistics 0,
    alter column chunk_id set statistics 0,
    alter column embedding_model set statistics 0,
    alter column dimensions set statistics 0,
    alter column vectors set statistics 0;
comment on table braid_store.token_vectors is
    'Vectors of the tokens of a chunk, or of groups of them, of length 1. Searches read those whose embedding_model and '
    'dimensions are those of the collection.';

-- No table and no view has these types.
alter type braid_store.search_options
    add attribute token_vectors halfvec[],
    add attribute token_vector_model text,
    add attribute token_candidates int,
    add attribute token_weight float8;
alter type braid_store.document_input
    add attribute token_vectors jsonb;
