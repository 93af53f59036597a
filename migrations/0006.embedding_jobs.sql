-- The outbox. A job is claimed once and deleted: the room that fillfactor leaves is for the claimed version beside the
-- first, so that its index needs no second entry (a heap-only update).
-- depends: 0005.vectors

create table braid_store.embedding_jobs (
    tenant_id int not null,
    collection_id int not null,
    vector_space_id int not null,
    chunk_id bigint not null,
    attempts int not null default 0,
    claimed_until timestamptz,
    last_error text,
    primary key (tenant_id, collection_id, vector_space_id, chunk_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table braid_store.embedding_jobs is
    'The outbox: chunks whose embedding in a vector space is still to be made. Written in the transaction that writes the '
    'chunk.';
