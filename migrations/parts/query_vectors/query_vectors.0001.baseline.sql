-- Vectors of queries, by which a search of text alone is a hybrid one.
-- depends: 0001.baseline

create table braid_store.query_embeddings (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    text_hash bytea not null,
    embedding @vector@.vector storage external not null, -- Random numbers do not compress.
    used_at timestamptz not null,
    primary key (tenant_id, collection_id, vector_space_id, text_hash)
);
create index query_embeddings_used_idx on braid_store.query_embeddings (tenant_id, collection_id, used_at);
comment on table braid_store.query_embeddings is
    'Vectors of the queries of a tenant''s users, by the SHA-256 of the embedded text; the text itself is not kept. '
    'Only searches of the same vector space read a vector. used_at: about when it was last stored.';
