create or replace function braid_store.average_length(
  tenant_id int,
  collection braid_store.collections,
  new_chunk_ids bigint[]
)
returns float8
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(nullif((s.body_length + n.body_length + average_length.collection.title_weight
                          * (s.title_length + n.title_length)) / nullif(s.chunk_count + n.chunk_count, 0), 0), 1)
  from braid_store.index_statistics(average_length.tenant_id, average_length.collection.id) s, (
    select count(*) as chunk_count, coalesce(sum(f.body_length), 0) as body_length,
           coalesce(sum(f.title_length), 0)::float8 as title_length
    from unnest(average_length.new_chunk_ids) u (chunk_id),
         lateral (
           select f.body_length, f.title_length from braid_store.forward_rows f
           where f.tenant_id = average_length.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f
  ) n;
$$;

comment on function braid_store.average_length(int, braid_store.collections, bigint[]) is
  'The average length of a chunk as BM25 weighs it, with chunks that no segment holds yet.';
