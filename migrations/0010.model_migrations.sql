-- Migrations of a collection to another embedding model: a second vector space fills beside the one that serves.
-- depends: 0009.attributes

create table braid_store.model_migrations (
    -- A reference is no hot row here: only administrators write.
    collection_id int primary key references braid_store.collections (id) on delete cascade,
    from_space_id int not null,
    from_storage text not null check (from_storage in ('vector', 'halfvec', 'binary')),
    to_space_id int not null check (to_space_id <> from_space_id),
    to_storage text not null check (to_storage in ('vector', 'halfvec', 'binary')),
    state text not null check (state in ('filling', 'paused', 'cut_over')),
    started_at timestamptz not null default now(),
    cut_over_at timestamptz check ((cut_over_at is not null) = (state = 'cut_over')),
    -- A transaction with a snapshot from before this one writes chunks without a job for the new space.
    started_by xid8 not null,
    -- Where putting the chunks that are there into the outbox goes on, and whether this pass over them misses none (null
    -- before the first).
    reached_tenant_id int not null default 0,
    reached_chunk_id bigint not null default -9223372036854775808,
    is_last_pass boolean,
    is_enqueued boolean not null default false
);
alter table braid_store.model_migrations enable row level security;
comment on table braid_store.model_migrations is
    'The model migration that a collection is in. One of the two spaces is the one that collections names and searches '
    'read; writes go to both until it ends. Once is_enqueued, every chunk has a vector or a job in each of them.';

create table braid_store.dropped_spaces (
    collection_id int not null references braid_store.collections (id) on delete cascade,
    vector_space_id int not null,
    -- A transaction with a snapshot from before this one may still write to it.
    dropped_by xid8 not null,
    primary key (collection_id, vector_space_id)
);
alter table braid_store.dropped_spaces enable row level security;
comment on table braid_store.dropped_spaces is
    'Vector spaces that a collection has left in a model migration, and whose rows maintenance still has to delete.';
