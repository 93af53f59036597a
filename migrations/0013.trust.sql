-- Whom this database trusts beyond the members of its tenants.
-- depends: 0012.locks

create table braid_store.trusted_roles (
    kind text collate "C" not null check (kind in ('gateway', 'service', 'administrator')),
    role text collate "C" not null,
    primary key (kind, role)
);
alter table braid_store.trusted_roles enable row level security;
comment on table braid_store.trusted_roles is
    'Which login, or group role that it inherits, is trusted in this database, and as what. By role name, so that a dump '
    'restores it.';
