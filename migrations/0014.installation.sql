-- What is installed can be compared with a package: functions, and each migration as it was when it was applied.
-- depends: 0011.tenant_lifecycle

alter table braid_store.installation rename column sql_hash to content_hash;
alter table braid_store.installation
    add column migrations jsonb not null default '{}',
    add column placeholders jsonb not null default '{}';
comment on table braid_store.installation is
    'One row: the version installed, the content hash of sql/ and migrations/, that of each migration applied, and what '
    'the placeholders in sql/ stand for here.';
