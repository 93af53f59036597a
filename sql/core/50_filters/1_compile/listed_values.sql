create or replace function braid_store.listed_values(metadata jsonb, path text[])
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_values jsonb := jsonb_build_array(listed_values.metadata);
  v_step text;
begin
  foreach v_step in array listed_values.path loop
    v_values := (
      select coalesce(jsonb_agg(n.value), '[]')
      from jsonb_array_elements(v_values) v,
           lateral (
             select v.value -> v_step as value
             union all
             select e.value -> v_step
             from jsonb_array_elements(case jsonb_typeof(v.value) when 'array' then v.value else '[]' end) e
             union all
             select v.value -> case when v_step ~ E'^\\d{1,9}$' then v_step::int end
             where jsonb_typeof(v.value) = 'array'
           ) n
      where n.value is not null);
  end loop;
  return (
    select case when bool_or(v.value <> 'null') then jsonb_path_query_array(v_values, 'lax $[*][*]') end
    from jsonb_array_elements(v_values) v);
end
$$;

comment on function braid_store.listed_values(jsonb, text[]) is
  'Return, as a list, all values at a path of metadata. A step into a list is a step into each object in it; a '
  'number is also a step to a place in it. If a value is a list, its elements are returned. Return null if there are '
  'only nulls.';
