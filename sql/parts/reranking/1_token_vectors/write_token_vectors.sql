create or replace function braid_store.write_token_vectors(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  vectors @vector@.halfvec[],
  vector_counts int[]
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_collection_id int := write_token_vectors.collection.id;
  v_chunk_ids bigint[];
  v_starts int[] := array(
    select (sum(u.count) over (order by u.place) - u.count + 1)::int
    from unnest(write_token_vectors.vector_counts) with ordinality u (count, place)
    order by u.place);
begin
  -- Lock chunks in the order of their ids, as remove_chunks does, so that the two cannot deadlock.
  v_chunk_ids := array(
    select c.id
    from (select u.id from unnest(write_token_vectors.chunk_ids) u (id) order by u.id offset 0) u,
         lateral (
           select c.id, c.collection_id from braid_store.chunks c
           where c.tenant_id = write_token_vectors.tenant_id and c.id = u.id
           for key share
           offset 0
         ) c
    where c.collection_id = v_collection_id);
  insert into braid_store.token_vectors (tenant_id, collection_id, chunk_id, embedding_model, dimensions, vectors)
  select write_token_vectors.tenant_id, v_collection_id, e.chunk_id,
    write_token_vectors.collection.parts ->> 'token_vector_model',
         (write_token_vectors.collection.parts ->> 'token_vector_dimensions')::int, e.vectors
  from (
    select i.chunk_id, v.vectors
    from (
      select u.number, array_agg(u.vector order by u.place) as vectors
      from (
        select u.vector, u.place, width_bucket(u.place::int, v_starts) as number
        from unnest(write_token_vectors.vectors) with ordinality u (vector, place)
      ) u
      group by u.number
    ) v
    join unnest(write_token_vectors.chunk_ids) with ordinality i (chunk_id, number) on i.number = v.number
  ) e
  -- Skip chunks deleted since their text was read. The others are locked and cannot be deleted now.
  join unnest(v_chunk_ids) c (id) on c.id = e.chunk_id
  order by e.chunk_id
  on conflict (tenant_id, collection_id, chunk_id)
  do update set embedding_model = excluded.embedding_model, dimensions = excluded.dimensions,
    vectors = excluded.vectors;
  return cardinality(v_chunk_ids);
end
$$;

comment on function braid_store.write_token_vectors(int, braid_store.collections, bigint[], @vector@.halfvec[], int[])
                                                    is
  'Store token vectors of chunks as they are. vectors has all vectors of the chunks, one chunk after the other, each '
  'of length 1. vector_counts has the number of vectors of each chunk, at least 1. Chunks that no longer exist are '
  'skipped. Return the number of chunks stored.';
