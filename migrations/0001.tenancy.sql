-- Tenants, who may act for them, and how a session's tenant is found.
-- depends:

create table braid_store.installation (
    only_row boolean primary key default true check (only_row),
    version text not null,
    sql_hash text not null,
    installed_at timestamptz not null default now()
);
comment on table braid_store.installation is
    'One row: the version installed and the content hash of the sql/ folder that was applied.';

create table braid_store.tenants (
    id int generated always as identity primary key,
    key text collate "C" not null unique check (octet_length(key) between 1 and 255),
    created_at timestamptz not null default now()
);
comment on table braid_store.tenants is
    'The isolation units. Users say the key; everything inside uses the id, which never changes and is never reused.';

create table braid_store.tenant_members (
    tenant_id int not null references braid_store.tenants (id) on delete cascade,
    member text collate "C" not null,
    primary key (tenant_id, member)
);
create index tenant_members_member_idx on braid_store.tenant_members (member);
comment on table braid_store.tenant_members is
    'Which login, or group role that it inherits, may act for which tenant. By role name, so that a dump restores.';

create table braid_store.access_settings (
    only_row boolean primary key default true check (only_row),
    claim_path text[] not null default '{app_metadata,tenant_id}',
    tenant_header text not null default 'x-braid-tenant',
    trusted_claim_roles text[] not null default '{service_role}',
    public_tenant_id int references braid_store.tenants (id) on delete set null
);
comment on table braid_store.access_settings is
    'One row: how a request through a gateway names its tenant (verified claim, header of trusted roles, public tenant).';
create index access_settings_public_tenant_idx on braid_store.access_settings (public_tenant_id);
insert into braid_store.access_settings default values;
