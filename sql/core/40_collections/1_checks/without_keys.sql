create or replace function braid_store.without_keys(value jsonb, keys text[], level int default 1)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_levels constant int := 32;
begin
  if (jsonb_typeof(value) in ('object', 'array')) is not true then
    return value;
  elsif level > c_most_levels then
    raise exception 'evaluation is nested more than % levels deep', c_most_levels
      using errcode = '54000', hint = 'Keep only the figures behind the decision, such as the gain and its interval.';
  elsif jsonb_typeof(value) = 'array' then
    return (select coalesce(jsonb_agg(braid_store.without_keys(e.value, keys, level + 1) order by e.place), '[]')
            from jsonb_array_elements(value) with ordinality e (value, place));
  end if;
  return (select coalesce(jsonb_object_agg(e.key, braid_store.without_keys(e.value, keys, level + 1)), '{}')
          from jsonb_each(value) e
          where e.key <> all (keys));
end
$$;

comment on function braid_store.without_keys(jsonb, text[], int) is
  'Return an evaluation without some keys, at every level. Raise 54000 beyond 32 levels.';
