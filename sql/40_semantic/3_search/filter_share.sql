create or replace function braid_store.filter_share(
  tenant_id int,
  collection braid_store.collections,
  shard_id int,
  filter braid_store.filter,
  sample_size int
)
returns float8
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  -- So few are scanned sooner than sampled.
  v_few constant int := 2000;
  -- A part of the primary key: by it ids are found at once.
  v_part text := case
    when shard_id is null
    then format('braid_store.chunk_vectors v where v.tenant_id = $1 and v.collection_id = %s and v.vector_space_id = %s',
                collection.id, collection.vector_space_id)
    else format('braid_store.vectors_%s v where v.tenant_id = $1', shard_id)
  end;
  v_low bigint;
  v_high bigint;
  v_share float8;
begin
  execute format('select (select v.chunk_id from %1$s order by v.chunk_id limit 1), '
                 '(select v.chunk_id from %1$s order by v.chunk_id desc limit 1)', v_part)
  into v_low, v_high
  using tenant_id;
  if v_low is null or v_high - v_low < v_few then
    return 1;
  end if;
  -- At even distances rather than at random, so that a search repeated is planned the same.
  execute format($query$
    select avg((c.passes is true)::int)
    from generate_series(0, $4 - 1) s (step),
         lateral (
           select v.chunk_id from %1$s and v.chunk_id >= $2 + (($3 - $2) * (s.step + 0.5::float8) / $4)::bigint
           order by v.chunk_id limit 1
         ) v,
         lateral (select (%2$s) as passes from braid_store.chunks c where c.tenant_id = $1 and c.id = v.chunk_id offset 0) c
    $query$, v_part, filter.predicate)
  into v_share
  using tenant_id, v_low, v_high, sample_size;
  return coalesce(v_share, 0);
end
$$;

comment on function braid_store.filter_share(int, braid_store.collections, int, braid_store.filter, int) is
  'About what share of a tenant''s vectors a filter lets pass, from a sample; 1 where they are too few to ask.';
