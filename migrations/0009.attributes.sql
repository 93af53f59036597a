-- Metadata keys that a collection declares as indexed: row-level security keeps filters from the usual indexes of JSON,
-- whose operators are not leakproof, so values are rows of text and float8.
-- depends: 0008.synonyms

create table braid_store.indexed_attributes (
    -- A reference is no hot row here: only administrators write.
    collection_id int not null references braid_store.collections (id) on delete cascade,
    id int generated always as identity,
    name text collate "C" not null,
    type text not null check (type in ('text', 'number', 'time')),
    removed_at timestamptz,
    primary key (collection_id, id)
);
create unique index indexed_attributes_name_idx on braid_store.indexed_attributes (collection_id, name)
    where removed_at is null;
alter table braid_store.indexed_attributes enable row level security;
comment on table braid_store.indexed_attributes is
    'The metadata keys of a collection that filters find by index. Ids of a collection grow in the order in which its '
    'transactions commit. A removed one stays until braid.maintain() has deleted its rows.';

create table braid_store.chunk_attributes (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    attribute_id int not null,
    element int not null,
    text_value text collate "C",
    number_value float8,
    primary key (tenant_id, chunk_id, attribute_id, element),
    check (num_nonnulls(text_value, number_value) = 1)
);
create index chunk_attributes_text_idx on braid_store.chunk_attributes (tenant_id, attribute_id, text_value, chunk_id)
    where text_value is not null;
create index chunk_attributes_number_idx on braid_store.chunk_attributes (tenant_id, attribute_id, number_value, chunk_id)
    where number_value is not null;
alter table braid_store.chunk_attributes
    alter column tenant_id set statistics 0, alter column collection_id set statistics 0,
    alter column chunk_id set statistics 0, alter column attribute_id set statistics 0,
    alter column element set statistics 0, alter column text_value set statistics 0,
    alter column number_value set statistics 0;
alter table braid_store.chunk_attributes enable row level security;
comment on table braid_store.chunk_attributes is
    'The values that chunks have for indexed attributes, as far as they are of the attribute''s type: a scalar as element 0, '
    'distinct elements of an array from 1. Shortened and rounded (see braid_store.attribute_number), never out of order: '
    'what an index finds here is a superset, and the metadata decides.';

alter table braid_store.chunks add column attribute_version int not null default 0;
alter table braid_store.chunks alter column attribute_version set statistics 0;
comment on column braid_store.chunks.attribute_version is
    'The latest attribute that its writer knew: rows for it and for all before it are there. It is true in every snapshot, '
    'as it is written with them, by writers who do not know of a new attribute too.';
create index chunks_attribute_version_idx on braid_store.chunks (tenant_id, collection_id, attribute_version);
