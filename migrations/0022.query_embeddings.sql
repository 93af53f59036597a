-- Vectors of queries, by which a search of text alone is a hybrid one. Collections that exist store none.
-- depends: 0021.profiles

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

alter table braid_store.collections
    add column query_embedding_count int not null default 0;
comment on column braid_store.collections.query_embedding_count is
    'Of how many queries each tenant''s part stores the vectors. 0: of none.';

create table braid_store.query_embeddings (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    text_hash bytea not null,
    embedding vector not null,
    used_at timestamptz not null,
    primary key (tenant_id, collection_id, vector_space_id, text_hash)
);
create index query_embeddings_used_idx on braid_store.query_embeddings (tenant_id, collection_id, used_at);
-- Random numbers do not compress.
alter table braid_store.query_embeddings
    alter column embedding set storage external,
    alter column tenant_id set statistics 0,
    alter column collection_id set statistics 0,
    alter column vector_space_id set statistics 0,
    alter column text_hash set statistics 0,
    alter column embedding set statistics 0,
    alter column used_at set statistics 0;
comment on table braid_store.query_embeddings is
    'Vectors of what the tenant''s users searched for, by the SHA-256 of the text that was embedded, which itself is not '
    'kept. A vector is read for searches of its own vector space alone. used_at: about when it was last stored.';

-- No table and no view has this type.
alter type braid_store.search_request
    add attribute is_stored_embedding boolean;
