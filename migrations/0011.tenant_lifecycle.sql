-- Tenants that are dropped, and tenants that a request may create.
-- depends: 0010.model_migrations

create table braid_store.dropped_tenants (
    id int primary key,
    dropped_at timestamptz not null default now(),
    -- A transaction with a snapshot from before this one may still write for the tenant.
    dropped_by xid8 not null
);
alter table braid_store.dropped_tenants enable row level security;
comment on table braid_store.dropped_tenants is
    'Tenants that are gone, whose rows maintenance still has to delete.';

alter table braid_store.access_settings add column create_tenants boolean not null default false;
comment on column braid_store.access_settings.create_tenants is
    'Whether the first write of a request creates the tenant that its verified claim names.';
