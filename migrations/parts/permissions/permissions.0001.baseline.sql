-- Access lists name who may read a document.
-- depends: 0001.baseline

create table braid_store.access_lists (
    tenant_id int not null,
    id bigint generated always as identity,
    principals text[] not null,
    principals_hash bytea not null,
    primary key (tenant_id, id),
    unique (tenant_id, principals_hash)
);
comment on table braid_store.access_lists is
    'Sets of principals that may read documents. A list never changes: other principals are another list.';
comment on column braid_store.access_lists.tenant_id is 'The tenant whose documents have the list.';
comment on column braid_store.access_lists.id is 'The number that documents and chunks refer to.';
comment on column braid_store.access_lists.principals is 'Users and groups, sorted, each once.';
comment on column braid_store.access_lists.principals_hash is 'The SHA-256 of principals, by which a list is found.';

create table braid_store.access_list_principals (
    tenant_id int not null,
    principal text collate "C" not null,
    access_list_id bigint not null,
    primary key (tenant_id, principal, access_list_id)
);
comment on table braid_store.access_list_principals is 'The lists that each principal is in.';
comment on column braid_store.access_list_principals.tenant_id is 'The tenant of the list.';
comment on column braid_store.access_list_principals.principal is 'A user or group.';
comment on column braid_store.access_list_principals.access_list_id is 'A list that names it.';

create table braid_store.principal_members (
    tenant_id int not null,
    member text collate "C" not null,
    principal text collate "C" not null,
    primary key (tenant_id, member, principal)
);
comment on table braid_store.principal_members is
    'Which principals have which other principals, too: users their groups, groups the groups around them.';
comment on column braid_store.principal_members.tenant_id is 'The tenant in which the member has the principal.';
comment on column braid_store.principal_members.member is
    'A user, a group, or login: with the name of a login or of a role that logins have.';
comment on column braid_store.principal_members.principal is
    'The group that the member is in; * reads all documents of the tenant.';

create table braid_store.permission_settings (
    only_row boolean primary key default true check (only_row),
    claims jsonb not null check (jsonb_typeof(claims) = 'object')
);
comment on table braid_store.permission_settings is
    'How requests through a gateway name their principals. One row, or none for the default.';
comment on column braid_store.permission_settings.only_row is 'Keeps the table at one row.';
comment on column braid_store.permission_settings.claims is
    'Claims of the verified token, each with the prefix that makes a principal of its value.';

create table braid_store.access_list_counts (
    tenant_id int not null,
    collection_id int not null,
    access_list_id bigint not null,
    chunk_count bigint not null,
    total_count bigint not null,
    counted_at timestamptz not null default now(),
    primary key (tenant_id, collection_id, access_list_id)
);
comment on table braid_store.access_list_counts is
    'How many chunks of a collection each list had when they were counted. Searches are planned by it.';
comment on column braid_store.access_list_counts.tenant_id is 'The tenant of the chunks.';
comment on column braid_store.access_list_counts.collection_id is 'The collection of the chunks.';
comment on column braid_store.access_list_counts.access_list_id is 'A list; 0 for chunks without one.';
comment on column braid_store.access_list_counts.chunk_count is 'How many chunks had the list.';
comment on column braid_store.access_list_counts.total_count is 'How many chunks the collection had.';
comment on column braid_store.access_list_counts.counted_at is 'When they were counted.';

-- Rows without a list are for everyone in the tenant.
alter table braid_store.documents add column access_list_id bigint;
alter table braid_store.chunks add column access_list_id bigint;
create index documents_access_list_idx on braid_store.documents (tenant_id, access_list_id)
    where access_list_id is not null;
-- They are partial so that the planner takes them for nothing else.
create index chunks_access_list_idx on braid_store.chunks (tenant_id, collection_id, access_list_id) include (id)
    where access_list_id is not null;
create index chunks_open_idx on braid_store.chunks (tenant_id, collection_id, access_list_id) include (id)
    where access_list_id is null;
comment on column braid_store.documents.access_list_id is
    'The list of the principals that may read the document; null if everyone in the tenant may.';
comment on column braid_store.chunks.access_list_id is 'The list of the chunk''s document.';

-- Three random UUIDs have 366 random bits.
alter table braid_store.access_settings add column access_key bytea not null
    default sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8'));
comment on column braid_store.access_settings.access_key is
    'Signs the access lists that a search carries in a setting. Nobody but the owner may know it.';
