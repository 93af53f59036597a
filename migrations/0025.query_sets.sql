-- Judged queries, to evaluate searches by.
-- depends: 0024.segments

-- pgvector may live in any schema; the type is found wherever it is.
select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'vector';

create table braid_store.query_sets (
    tenant_id int not null,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    level text not null check (level in ('document', 'chunk')),
    description text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, name)
);
comment on table braid_store.query_sets is
    'Sets of queries with judgments, of documents or of chunks, by which searches are evaluated. They are of no collection: '
    'documents are named by external_id.';

create table braid_store.queries (
    tenant_id int not null,
    query_set text collate "C" not null,
    query_id text collate "C" not null check (octet_length(query_id) between 1 and 512),
    query_text text not null,
    filters jsonb,
    updated_at timestamptz not null default now(),
    primary key (tenant_id, query_set, query_id)
);
comment on table braid_store.queries is 'The queries of a query set, with filters that belong to a query.';

create table braid_store.query_set_embeddings (
    tenant_id int not null,
    query_set text collate "C" not null,
    query_id text collate "C" not null,
    vector_space_id int not null,
    embedding vector not null,
    primary key (tenant_id, query_set, query_id, vector_space_id)
);
comment on table braid_store.query_set_embeddings is 'Vectors of the queries of query sets, of as many models as are compared.';

create table braid_store.judgments (
    tenant_id int not null,
    query_set text collate "C" not null,
    query_id text collate "C" not null,
    external_id text collate "C" not null check (octet_length(external_id) between 1 and 1024),
    chunk_index int not null check (chunk_index >= -1),
    judge text collate "C" not null check (octet_length(judge) between 1 and 255),
    grade smallint not null,
    updated_at timestamptz not null default now(),
    primary key (tenant_id, query_set, query_id, external_id, chunk_index, judge)
);
comment on table braid_store.judgments is
    'How relevant a document, or a chunk, is to a query, according to a judge. chunk_index -1 stands for the document.';

alter table braid_store.query_sets
    alter column tenant_id set statistics 0,
    alter column name set statistics 0,
    alter column level set statistics 0,
    alter column description set statistics 0,
    alter column created_at set statistics 0;
alter table braid_store.queries
    alter column tenant_id set statistics 0,
    alter column query_set set statistics 0,
    alter column query_id set statistics 0,
    alter column query_text set statistics 0,
    alter column filters set statistics 0,
    alter column updated_at set statistics 0;
alter table braid_store.query_set_embeddings
    alter column tenant_id set statistics 0,
    alter column query_set set statistics 0,
    alter column query_id set statistics 0,
    alter column vector_space_id set statistics 0,
    alter column embedding set statistics 0;
alter table braid_store.judgments
    alter column tenant_id set statistics 0,
    alter column query_set set statistics 0,
    alter column query_id set statistics 0,
    alter column external_id set statistics 0,
    alter column chunk_index set statistics 0,
    alter column judge set statistics 0,
    alter column grade set statistics 0,
    alter column updated_at set statistics 0;
