create or replace function braid_store.asked_times(filters jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key text;
  v_value jsonb;
  v_times jsonb := '{}';
begin
  for v_key, v_value in
    select e.key, e.value from jsonb_each(asked_times.filters) e
    where e.key = '$as_of' or e.key in ('$and', '$or', '$not') and e.value @? '$.**."$as_of"'
  loop
    if v_key in ('$and', '$or') then
      v_value := (select jsonb_agg(braid_store.asked_times(m.value)) from jsonb_array_elements(v_value) m);
    elsif v_key = '$not' then
      -- A document that fails a time and another condition together may be of any time.
      continue when braid_store.asked_times(v_value) <> v_value;
    end if;
    v_times := v_times || jsonb_build_object(v_key, v_value);
  end loop;
  return v_times;
end
$$;

comment on function braid_store.asked_times(jsonb) is
  'Return what valid filters say about time ($as_of), without their other conditions. Whatever meets the filters meets '
  'the result.';
