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
  -- To scan so few is faster than to sample them.
  c_few constant int := 2000;
  c_max_rounds constant int := 4;
  -- The first columns of the primary key, so that an id is found by the index.
  v_part text := case
    when shard_id is null
    then format('braid_store.chunk_vectors v where v.tenant_id = $1 and v.collection_id = %s and v.vector_space_id = %s',
                collection.id, collection.vector_space_id)
    else format('braid_store.vectors_%s v where v.tenant_id = $1', shard_id)
  end;
  v_low bigint;
  v_high bigint;
  v_ids int8multirange; -- ranges of ids, without the gaps found so far
  v_lows bigint[]; -- of the ranges of v_ids: where each begins, and how many ids the ranges before it have
  v_before float8[];
  v_total float8;
  v_gaps int8multirange;
  v_count int;
  v_share float8;
begin
  execute format('select (select v.chunk_id from %1$s order by v.chunk_id limit 1), '
                 '(select v.chunk_id from %1$s order by v.chunk_id desc limit 1)', v_part)
  into v_low, v_high
  using tenant_id;
  if v_low is null or v_high - v_low < c_few then
    return 1;
  end if;
  v_ids := int8multirange(int8range(v_low, v_high, '[]'));
  for v_round in 1 .. c_max_rounds loop
    select array_agg(r.low order by r.low), array_agg(r.before order by r.low), max(r.before + r.length)
    into v_lows, v_before, v_total
    from (
      select lower(u) as low, upper(u) - lower(u) as length,
             coalesce(sum(upper(u) - lower(u)) over (order by lower(u) rows between unbounded preceding and 1 preceding), 0)
               ::float8 as before
      from unnest(v_ids) u
    ) r;
    -- Takes sample_size points in the ranges, and for each the first id at it or above. The points are at even
    -- distances, not at random, so that a repeated search runs the same way. The range of a point is looked up in an
    -- array: if a tenant's chunks lie among those of others, there are hundreds of ranges, and a join would compare each
    -- of them with each point.
    execute format($query$
      select avg((c.passes is true)::int), count(distinct v.chunk_id), range_agg(int8range(p.id, v.chunk_id))
      from generate_series(0, $2 - 1) s (step),
           lateral (select $5 * (s.step + 0.5::float8) / $2 as distance) d,
           lateral (select width_bucket(d.distance, $4) as place) r,
           lateral (select ($3)[r.place] + floor(d.distance - ($4)[r.place])::bigint as id) p,
           lateral (
             select v.chunk_id from %1$s and v.chunk_id >= p.id order by v.chunk_id limit 1
           ) v,
           lateral (select (%2$s) as passes from braid_store.chunks c where c.tenant_id = $1 and c.id = v.chunk_id offset 0) c
      $query$, v_part, filter.predicate)
    into v_share, v_count, v_gaps
    using tenant_id, sample_size, v_lows, v_before, v_total;
    -- Many points in a gap between ids have the same next id, and its chunk would count for all of them. If that was
    -- so, sample again without the gaps.
    exit when v_count >= sample_size / 2 or coalesce(isempty(v_gaps), true);
    if v_round = 1 then
      execute format('select count(*) from (select from %s limit $2) v', v_part) into v_count using tenant_id, c_few;
      if v_count < c_few then
        return 1;
      end if;
    end if;
    v_ids := v_ids - v_gaps;
  end loop;
  return coalesce(v_share, 0);
end
$$;

comment on function braid_store.filter_share(int, braid_store.collections, int, braid_store.filter, int) is
  'Estimates what share of a tenant''s vectors pass a filter, from 0 to 1, by a sample of sample_size vectors. 1 '
  'if there are so few vectors that sampling is not worth while.';
