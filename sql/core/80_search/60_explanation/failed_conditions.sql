create or replace function braid_store.failed_conditions(
  tenant_id int,
  collection_id int,
  filters jsonb,
  chunk_id bigint
)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_condition jsonb;
  v_is_met boolean;
  v_failed jsonb := '[]';
begin
  if failed_conditions.filters is null or failed_conditions.filters = 'null' then
    return v_failed;
  end if;
  for v_condition in
    select coalesce(a.value, jsonb_build_object(f.key, f.value))
    from jsonb_each(failed_conditions.filters) f
    left join lateral jsonb_array_elements(case when f.key = '$and' then f.value end) a on true
    limit 100
  loop
    execute format(
      'select (%s) from braid_store.chunks c where c.tenant_id = $1 and c.id = $2',
      braid_store.filter_predicate(v_condition, failed_conditions.tenant_id, failed_conditions.collection_id))
    into v_is_met
    using failed_conditions.tenant_id, failed_conditions.chunk_id;
    if v_is_met is not true then
      v_failed := v_failed || jsonb_build_array(v_condition);
    end if;
  end loop;
  return v_failed;
end
$$;

comment on function braid_store.failed_conditions(int, int, jsonb, bigint) is
  'Return the conditions of a filter that a chunk does not meet, as a JSON array. Only the first 100 conditions at '
  'the top of the filter, or in an $and at the top, are tested, each as a whole.';
