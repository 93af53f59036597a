-- What upkeep has to do: noted by writers and administrators, so that maintain() looks at nothing else.
-- depends: 0006.embedding_jobs

create table braid_store.due_parts (
    tenant_id int not null,
    collection_id int not null,
    id bigint generated always as identity,
    task text not null check (task in ('visit', 'move_vectors', 'index_attributes')),
    due_at timestamptz not null default clock_timestamp(),
    -- Every transaction that may have found this note, and so wrote none, has an id below.
    awaits xid8,
    primary key (tenant_id, collection_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index due_parts_due_at_idx on braid_store.due_parts (task, due_at, tenant_id) where awaits is null;
create index due_parts_awaits_idx on braid_store.due_parts (awaits, tenant_id) where awaits is not null;
comment on table braid_store.due_parts is
    'The tenants'' parts of collections that maintenance is to look at: visit, as something was written; move_vectors and '
    'index_attributes, as a visit found that to do. A writer who finds a visit noted, with nobody at it, adds none. '
    'Maintenance may therefore take a note away only when the writers who may have found it have ended: until then it '
    'awaits them.';

create table braid_store.due_collections (
    id int generated always as identity primary key,
    collection_id int not null,
    reached_tenant_id int not null default 0,
    -- The last note of due_parts when all tenants were noted.
    noted_until bigint
);
comment on table braid_store.due_collections is
    'Collections whose definition has changed, so that the parts of all tenants are to be visited: maintenance notes them, '
    'in the order of tenants.';

create table braid_store.upkeep_rates (
    only_row boolean primary key default true check (only_row),
    postings_per_second float8 not null default 200000 check (postings_per_second > 0),
    index_work_per_second float8 not null default 4000 check (index_work_per_second > 0)
);
insert into braid_store.upkeep_rates default values;
comment on table braid_store.upkeep_rates is
    'One row: how fast this server merges postings and makes vector indexes, as maintenance last measured it. By it, '
    'maintenance begins what it cannot interrupt only if its time suffices.';
