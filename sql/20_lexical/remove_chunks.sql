create or replace function braid_store.remove_chunks(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  -- Jobs, then chunks, in the order of their ids, as write_vectors locks them: neither can wait for the other in a ring.
  perform
  from braid_store.embedding_jobs j
  where j.tenant_id = remove_chunks.tenant_id and j.collection_id = remove_chunks.collection_id
    and j.chunk_id = any (remove_chunks.chunk_ids)
  order by j.chunk_id
  for update;
  perform
  from braid_store.chunks c
  where c.tenant_id = remove_chunks.tenant_id and c.id = any (remove_chunks.chunk_ids)
  order by c.id
  for update;

  with removed as materialized (
    select u.chunk_id, sc.body_length, sc.title_length, f.lexemes
    from unnest(remove_chunks.chunk_ids) u (chunk_id),
         lateral (
           select sc.* from braid_store.segment_chunks sc
           where sc.tenant_id = remove_chunks.tenant_id and sc.chunk_id = u.chunk_id
           offset 0
         ) sc
         -- A chunk without a token has no forward row, and counts among the chunks all the same.
         left join lateral (
           select f.lexemes from braid_store.forward_rows f
           where f.tenant_id = remove_chunks.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f on true
  ), tombstones as (
    insert into braid_store.tombstones (tenant_id, collection_id, chunk_id, body_length, title_length)
    select remove_chunks.tenant_id, remove_chunks.collection_id, r.chunk_id, r.body_length, r.title_length
    from removed r
  )
  insert into braid_store.tombstone_terms (tenant_id, collection_id, lexeme, chunk_id)
  select remove_chunks.tenant_id, remove_chunks.collection_id, unnest(r.lexemes), r.chunk_id
  from removed r;

  delete from braid_store.forward_rows f
  where f.tenant_id = remove_chunks.tenant_id and f.chunk_id = any (remove_chunks.chunk_ids);
  delete from braid_store.embedding_jobs j
  where j.tenant_id = remove_chunks.tenant_id and j.collection_id = remove_chunks.collection_id
    and j.chunk_id = any (remove_chunks.chunk_ids);
  delete from braid_store.chunk_vectors v
  where v.shard_id in (select s.shard_id from braid_store.shards_written(remove_chunks.tenant_id,
                                                                         remove_chunks.collection_id) s)
    and v.tenant_id = remove_chunks.tenant_id and v.collection_id = remove_chunks.collection_id
    and v.chunk_id = any (remove_chunks.chunk_ids);
  delete from braid_store.chunks c
  where c.tenant_id = remove_chunks.tenant_id and c.id = any (remove_chunks.chunk_ids);
end
$$;

comment on function braid_store.remove_chunks(int, int, bigint[]) is
  'Deletes chunks and all that is derived from them. Their segments keep them, behind tombstones, until a merge.';
