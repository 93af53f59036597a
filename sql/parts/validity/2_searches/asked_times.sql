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
  v_is_any boolean := false;
begin
  for v_key, v_value in
    select e.key, e.value from jsonb_each(asked_times.filters) e
    where e.key = '$as_of' or e.key in ('$and', '$or', '$not') and e.value @? '$.**."$as_of"'
  loop
    if v_key in ('$and', '$or') then
      v_value := (select jsonb_agg(braid_store.asked_times(m.value)) from jsonb_array_elements(v_value) m);
    elsif v_key = '$not' then
      -- A document that fails a time and another condition together may be of any time.
      if braid_store.asked_times(v_value) <> v_value then
        v_is_any := true;
        continue;
      end if;
    end if;
    v_times := v_times || jsonb_build_object(v_key, v_value);
  end loop;
  -- Without a time, the result would ask for what is valid now.
  return case when v_is_any and not v_times @? '$.**."$as_of"' then v_times || '{"$as_of": null}' else v_times end;
end
$$;

comment on function braid_store.asked_times(jsonb) is
  'Return what valid filters say about time ($as_of), without their other conditions. Whatever meets the filters meets '
  'the result.';
