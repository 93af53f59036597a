-- What a user likes, for the option profile of a search.
-- depends: 0020.token_vectors

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

create table braid_store.profiles (
    tenant_id int not null,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    vector_space_id int,
    embedding vector,
    attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
    updated_at timestamptz not null default now(),
    primary key (tenant_id, name),
    check ((vector_space_id is null) = (embedding is null))
);
comment on table braid_store.profiles is
    'Profiles: a vector and weights of attributes for each user, by which searches may boost. A vector is compared in its own '
    'vector space alone.';
alter table braid_store.profiles
    alter column tenant_id set statistics 0,
    alter column name set statistics 0,
    alter column vector_space_id set statistics 0,
    alter column embedding set statistics 0,
    alter column attributes set statistics 0,
    alter column updated_at set statistics 0;

alter type braid_store.search_options
    add attribute profile jsonb;
