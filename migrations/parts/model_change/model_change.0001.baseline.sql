-- The move of a collection to another embedding model.
-- depends: 0001.baseline

create table braid_store.model_changes (
    collection_id int primary key references braid_store.collections (id) on delete cascade,
    from_space_id int not null,
    from_storage text not null check (from_storage in ('vector', 'halfvec', 'binary')),
    to_space_id int not null check (to_space_id <> from_space_id),
    to_storage text not null check (to_storage in ('vector', 'halfvec', 'binary')),
    state text not null check (state in ('filling', 'paused', 'cut_over')),
    started_at timestamptz not null default now(),
    cut_over_at timestamptz check ((cut_over_at is not null) = (state = 'cut_over')),
    -- A transaction with an older snapshot writes chunks without a job for the new space.
    started_by xid8 not null,
    -- Enqueueing existing chunks resumes after this chunk. is_last_pass tells whether this pass over the chunks misses
    -- none (null before the first pass).
    reached_tenant_id int not null default 0,
    reached_chunk_id bigint not null default -9223372036854775808,
    is_last_pass boolean,
    is_enqueued boolean not null default false
);
comment on table braid_store.model_changes is
    'The model change of a collection. Searches read the space that collections names; writes go to both spaces '
    'until the change ends. Once is_enqueued, every chunk has a vector or a job in each space.';
comment on column braid_store.model_changes.collection_id is 'The collection that changes its model.';
comment on column braid_store.model_changes.from_space_id is 'The vector space that the collection had before.';
comment on column braid_store.model_changes.from_storage is
    'How vectors of large tenants are stored in the old space.';
comment on column braid_store.model_changes.to_space_id is 'The vector space that it moves to.';
comment on column braid_store.model_changes.to_storage is
    'How vectors of large tenants are stored in the new space.';
comment on column braid_store.model_changes.state is
    'filling: the new vectors are being made; paused: that work is paused; cut_over: searches use the new vectors.';
comment on column braid_store.model_changes.started_at is 'When the move began.';
comment on column braid_store.model_changes.cut_over_at is
    'When searches began to use the new vectors; null before.';
comment on column braid_store.model_changes.started_by is
    'The transaction that started the change. A transaction with an older snapshot may write chunks that have no job '
    'for the new space.';
comment on column braid_store.model_changes.reached_tenant_id is
    'Enqueueing the stored chunks for the new model resumes at this tenant.';
comment on column braid_store.model_changes.reached_chunk_id is 'Enqueueing resumes after this chunk of the tenant.';
comment on column braid_store.model_changes.is_last_pass is
    'Whether this pass over the tenants misses no chunk, so that no other has to follow. Null before the first pass.';
comment on column braid_store.model_changes.is_enqueued is
    'Whether every chunk has a new vector or waits for one in the outbox.';
