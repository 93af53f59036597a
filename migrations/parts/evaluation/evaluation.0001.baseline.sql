-- Judged queries, by which searches are evaluated.
-- depends: 0001.baseline

create table braid_store.query_sets (
    tenant_id int not null,
    name text collate "C" not null check (octet_length(name) between 1 and 255),
    level text not null check (level in ('document', 'chunk')),
    description text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, name)
);
comment on table braid_store.query_sets is
    'Sets of queries with judgments, of documents or of chunks, by which searches are evaluated. A set belongs to no '
    'collection: documents are named by external_id.';

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
    embedding @vector@.vector not null,
    primary key (tenant_id, query_set, query_id, vector_space_id)
);
comment on table braid_store.query_set_embeddings is
    'Vectors of the queries of query sets, for every model that is compared.';

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
