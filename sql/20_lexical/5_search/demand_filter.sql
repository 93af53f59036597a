create or replace function braid_store.demand_filter(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query
)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_filter text := 'true';
  v_group record;
begin
  for v_group in
    select c.group_number, c.is_excluded, bool_or(c.is_prefix) as has_prefix, array_agg(c) as conditions
    from unnest(demand_filter.query.conditions) c
    group by c.group_number, c.is_excluded
    order by c.group_number
  loop
    v_filter := format('%s and %s(%s)', v_filter, case when v_group.is_excluded then 'not ' else '' end,
      case when v_group.has_prefix
        -- A prefix may stand for any number of lexemes: chunk by chunk.
        then format(
          'exists (select from braid_store.forward_rows f, unnest(%L::braid_store.query_condition[]) q '
          'where f.tenant_id = %L and f.chunk_id = c.id and braid_store.condition_holds('
          '(q.group_number, false, q.is_prefix, q.lexemes, q.offsets)::braid_store.query_condition, '
          'string_to_array(f.lexemes, '' ''), f.position_ends, f.positions))',
          v_group.conditions, demand_filter.tenant_id)
        else format('c.id = any (%L::bigint[])', braid_store.chunks_with(
               demand_filter.tenant_id, demand_filter.collection, v_group.conditions))
      end);
  end loop;
  return v_filter;
end
$$;

comment on function braid_store.demand_filter(int, braid_store.collections, braid_store.text_query) is
  'What a query demands, as a condition on chunks, aliased c, for the other leg.';
