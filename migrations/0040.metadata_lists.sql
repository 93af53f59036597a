-- Large segments list which chunks have which values of metadata, so that filters on keys that nobody has declared need not
-- read all chunks.
-- depends: 0039.halfvec_indexes

create table braid_store.metadata_lists (
    tenant_id int not null,
    collection_id int not null,
    segment_id bigint not null,
    key text collate "C" not null,
    type text collate "C" not null check (type in ('number', 'text', 'boolean', 'any', 'rest')),
    block int not null,
    number_values float8[],
    text_values text[] collate "C",
    value_ends int[],
    chunk_ids bigint[] not null,
    primary key (tenant_id, collection_id, segment_id, key, type, block)
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Compressed ids would have to be unpacked for each search.
alter table braid_store.metadata_lists alter column chunk_ids set storage external;
alter table braid_store.metadata_lists
    alter column tenant_id set statistics 0, alter column collection_id set statistics 0,
    alter column segment_id set statistics 0, alter column key set statistics 0, alter column type set statistics 0,
    alter column block set statistics 0, alter column number_values set statistics 0,
    alter column text_values set statistics 0, alter column value_ends set statistics 0,
    alter column chunk_ids set statistics 0;
comment on table braid_store.metadata_lists is
    'Which chunks of a segment have which values under a key of metadata, by type of value and block of 16384 chunk numbers. The '
    'distinct values ascend, shortened and rounded; value_ends says for each the place in chunk_ids behind which the next one''s '
    'begin. Elements of arrays count as values. any: chunks that may have any value, such as long arrays. rest, with the key '
    '"": chunks with keys that are not listed. Written by maintain(), as things were then: changed_metadata tells what has '
    'changed since.';

create table braid_store.changed_metadata (
    tenant_id int not null,
    collection_id int not null,
    chunk_id bigint not null,
    change bigint generated always as identity,
    primary key (tenant_id, collection_id, chunk_id, change)
) with (autovacuum_vacuum_scale_factor = 0.02);
alter table braid_store.changed_metadata
    alter column tenant_id set statistics 0, alter column collection_id set statistics 0,
    alter column chunk_id set statistics 0, alter column change set statistics 0;
comment on table braid_store.changed_metadata is
    'Chunks whose metadata was changed while they were there, a row for each change, so that no writer waits for another: '
    'metadata_lists may be wrong about them. maintain() deletes what it has seen when it lists a block anew.';

alter table braid_store.segments add column listed_count int not null default 0;
alter table braid_store.segments alter column listed_count set statistics 0;
comment on column braid_store.segments.listed_count is
    'Of so many chunks, the first by number, metadata_lists has the values.';

alter type braid_store.filter add attribute lists jsonb;
comment on type braid_store.filter is
    'A filter as SQL. predicate: a condition on braid_store.chunks with the alias c. source: a query that uses an '
    'index and returns ids of chunks, each once, among them all that pass; null if there is none. lists: without a source, the '
    'conditions that metadata_lists can answer, see braid_store.listed_conditions. is_empty: every chunk passes, so that none '
    'has to be read. A search adds: share, about what share of the chunks passes; and among, if few pass: ids of chunks in '
    'ascending order, among them all that pass.';

-- The next maintenance lists what is there.
insert into braid_store.due_parts (tenant_id, collection_id, task)
select distinct s.tenant_id, s.collection_id, 'visit' from braid_store.segments s
where s.chunk_count >= 1000 and not s.is_deletion;
