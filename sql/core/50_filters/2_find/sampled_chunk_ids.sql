create or replace function braid_store.sampled_chunk_ids(tenant_id int, collection_id int, sample_size int)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    select sc.chunk_id
    from (
      select s.id, s.chunk_count, (sum(s.chunk_count) over (order by s.id) - s.chunk_count)::bigint as first,
             (sum(s.chunk_count) over ())::float8 as total
      from braid_store.segments s
      where s.tenant_id = sampled_chunk_ids.tenant_id and s.collection_id = sampled_chunk_ids.collection_id
        and not s.is_deletion and s.chunk_count > 0
    ) s,
    -- The places follow the golden ratio. They are spread evenly, but not at equal distances, which would always hit or
    -- always miss values that recur regularly. They are not random, so that a repeated search runs the same way.
    lateral (
      select (p.place - s.first)::int + 1 as chunk_number
      from generate_series(1, sampled_chunk_ids.sample_size) n,
           lateral (select n * 0.6180339887498949::float8 as turns offset 0) t,
           lateral (select floor(s.total * (t.turns - floor(t.turns)))::bigint as place offset 0) p
      where p.place >= s.first and p.place < s.first + s.chunk_count
      offset 0
    ) n,
    lateral (
      select sc.chunk_id from braid_store.segment_chunks sc
      where sc.tenant_id = sampled_chunk_ids.tenant_id and sc.collection_id = sampled_chunk_ids.collection_id
        and sc.segment_id = s.id and sc.chunk_number = n.chunk_number
      offset 0
    ) sc);
end
$$;

comment on function braid_store.sampled_chunk_ids(int, int, int) is
  'Return a sample of sample_size chunks of a collection, spread over all of them. Some may be deleted, and in a '
  'small collection some come more than once.';
