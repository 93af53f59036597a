-- What an installation is made of: the core and parts.
-- depends: 0045.far_queries

create table braid_store.parts (
    name text primary key,
    place int not null unique,
    manifest jsonb not null
);
comment on table braid_store.parts is
    'The core and the parts that are installed, a part behind those that it needs. manifest: its part.json.';

alter table braid_store.installation
    add column extension_hashes jsonb not null default '{}';
comment on column braid_store.installation.extension_hashes is
    'The SHA-256 of the body of each extension point, which the installation has written from the parts.';
