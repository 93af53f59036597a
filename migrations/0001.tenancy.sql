-- Tenants, who may act for them, and how a session's tenant is found.
--
-- Databases have the migrations that frozen.sha256 lists as they are. Every further change of a table is a new file with
-- the next number, which names in `depends` the one before it and carries over what is stored.
-- depends:

create table braid_store.installation (
    only_row boolean primary key default true check (only_row),
    version text not null,
    content_hash text not null,
    migrations jsonb not null default '{}',
    placeholders jsonb not null default '{}',
    installed_at timestamptz not null default now()
);
comment on table braid_store.installation is
    'One row: the version installed, the content hash of sql/ and migrations/, that of each migration applied, and what '
    'the placeholders in sql/ stand for here.';
comment on column braid_store.installation.only_row is 'Always true: it keeps the table at one row.';
comment on column braid_store.installation.version is 'The version of pgbraid that this database has.';
comment on column braid_store.installation.content_hash is
    'A hash of all files of sql/ and migrations/ that were installed. By it, init and upgrade see whether there is '
    'anything to do, and clients whether they belong to this database.';
comment on column braid_store.installation.migrations is
    'A hash of each migration that was applied, by its name: a released migration never changes.';
comment on column braid_store.installation.placeholders is
    'What the placeholders of sql/ stand for in this database: the roles owner and definer, and the schema of '
    'pgvector.';
comment on column braid_store.installation.installed_at is 'When pgbraid was installed or last upgraded.';

create table braid_store.tenants (
    id int generated always as identity primary key,
    key text collate "C" not null unique check (octet_length(key) between 1 and 255),
    created_at timestamptz not null default now()
);
comment on table braid_store.tenants is
    'The isolation units. Users say the key; everything inside uses the id, which never changes and is never reused.';

create table braid_store.dropped_tenants (
    id int primary key,
    dropped_at timestamptz not null default now(),
    -- A transaction with a snapshot from before this one may still write for the tenant.
    dropped_by xid8 not null
);
comment on table braid_store.dropped_tenants is
    'Tenants that are gone, whose rows maintenance still has to delete.';

create table braid_store.tenant_members (
    tenant_id int not null references braid_store.tenants (id) on delete cascade,
    member text collate "C" not null,
    primary key (tenant_id, member)
);
create index tenant_members_member_idx on braid_store.tenant_members (member);
comment on table braid_store.tenant_members is
    'Which login, or group role that it inherits, may act for which tenant. By role name, so that a dump restores.';

create table braid_store.trusted_roles (
    kind text collate "C" not null check (kind in ('gateway', 'service', 'administrator')),
    role text collate "C" not null,
    primary key (kind, role)
);
comment on table braid_store.trusted_roles is
    'Which login, or group role that it inherits, is trusted in this database, and as what. By role name, so that a dump '
    'restores it.';

create table braid_store.access_settings (
    only_row boolean primary key default true check (only_row),
    claim_path text[] not null default '{app_metadata,tenant_id}',
    tenant_header text not null default 'x-braid-tenant',
    trusted_claim_roles text[] not null default '{service_role}',
    public_tenant_id int references braid_store.tenants (id) on delete set null,
    create_tenants boolean not null default false
);
comment on table braid_store.access_settings is
    'One row: how a request through a gateway names its tenant (verified claim, header of trusted roles, public tenant).';
comment on column braid_store.access_settings.create_tenants is
    'Whether the first write of a request creates the tenant that its verified claim names.';
create index access_settings_public_tenant_idx on braid_store.access_settings (public_tenant_id);
insert into braid_store.access_settings default values;
