create or replace function braid_store.asked_keys(filters jsonb, collection_id int)
returns text[]
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
    with recursive filter as (
      select asked_keys.filters as value
      union all
      select m.value
      from filter f,
           jsonb_each(case jsonb_typeof(f.value) when 'object' then f.value else '{}' end) e,
           jsonb_array_elements(case when e.key in ('$and', '$or') and jsonb_typeof(e.value) = 'array'
             then e.value end) m
    )
    select distinct k.name
    from (
      select e.key, regexp_replace(e.key, E'^metadata\\.', '') collate "C" as name, e.value
      from filter f, jsonb_each(case jsonb_typeof(f.value) when 'object' then f.value else '{}' end) e
    ) k,
    jsonb_each(case jsonb_typeof(k.value) when 'object' then k.value else jsonb_build_object('$eq', k.value) end) o
    where not k.key ^@ '$'
      and (o.key in ('$eq', '$in', '$all', '$gt', '$gte', '$lt', '$lte', '$between', '$like', '$ilike')
        and o.value <> 'null'
           or o.key = '$exists' and o.value = 'true')
      and k.key not in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id', 'source_uri')
      and not exists (
        select from braid_store.indexed_attributes a
        where a.collection_id = asked_keys.collection_id and a.removed_at is null and a.name = k.name collate "C")
    order by k.name);
end
$$;

comment on function braid_store.asked_keys(jsonb, int) is
  'Return the metadata keys that a filter requires of a chunk, also as one of several alternatives ($or). Keys that '
  'the collection declares are left out, and so are keys that a chunk may lack ($ne, $nin, $not).';
