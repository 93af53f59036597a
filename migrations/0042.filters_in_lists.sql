-- Filters look into the objects of lists, and find a speaker among those of a chunk.
-- depends: 0041.synced_storage

-- Few chunks have several speakers where speakers are looked for by index. Its own order tells it from the index of all speakers.
create index chunks_speakers_idx on braid_store.chunks (tenant_id, collection_id, speaker text_pattern_ops)
    where position(', ' in speaker) > 0 or octet_length(speaker) > 255;

-- What is indexed under a key with dots lacks what objects in lists have there. The next maintenance indexes it anew; until then,
-- filters on these keys look at the chunks.
with removed as (
    update braid_store.indexed_attributes a set removed_at = clock_timestamp()
    where a.removed_at is null and position('.' in a.name) > 0
    returning a.collection_id, a.name, a.type
), declared as (
    insert into braid_store.indexed_attributes (collection_id, name, type)
    select r.collection_id, r.name, r.type from removed r
    returning collection_id
)
insert into braid_store.due_collections (collection_id)
select distinct d.collection_id from declared d;

-- So do the lists of metadata.
insert into braid_store.due_parts (tenant_id, collection_id, task)
select distinct s.tenant_id, s.collection_id, 'visit' from braid_store.segments s
where s.listed_count > 0 and not s.is_deletion;
update braid_store.segments s set listed_count = 0 where s.listed_count > 0;
