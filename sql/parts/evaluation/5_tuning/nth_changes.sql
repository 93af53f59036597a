create or replace function braid_store.nth_changes(tuning_values jsonb, number int)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_left int := number;
  v_key record;
  v_changes jsonb := '{}';
begin
  for v_key in select v.key, v.value, jsonb_array_length(v.value) as length from jsonb_each(nth_changes.tuning_values) v
    order by v.key loop
    if v_left % (v_key.length + 1) > 0 then
      v_changes := v_changes || jsonb_build_object(v_key.key, v_key.value -> (v_left % (v_key.length + 1) - 1));
    end if;
    v_left := v_left / (v_key.length + 1);
  end loop;
  return v_changes;
end
$$;

comment on function braid_store.nth_changes(jsonb, int) is
  'Return the combination with this number of a search space. Combination 0 changes nothing.';
