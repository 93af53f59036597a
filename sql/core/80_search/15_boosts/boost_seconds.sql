create or replace function braid_store.boost_seconds(place bigint, given jsonb, key text, preset float8, lowest float8)
returns float8
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given jsonb := boost_seconds.given -> boost_seconds.key;
  v_value float8;
begin
  if coalesce(v_given, 'null') = 'null' and boost_seconds.preset is not null then
    return boost_seconds.preset;
  elsif jsonb_typeof(v_given) = 'number' then
    v_value := braid_store.attribute_number(v_given::numeric);
  elsif jsonb_typeof(v_given) = 'string' and pg_input_is_valid(v_given #>> '{}', 'interval') then
    v_value := extract(epoch from (v_given #>> '{}')::interval)::float8;
  end if;
  if v_value is null or v_value not between boost_seconds.lowest and 1e12 then
    perform braid_store.boost_error(
      boost_seconds.place, boost_seconds.key, v_given,
      case when boost_seconds.lowest > 0 then 'Use an interval above zero, such as "30 days", or a number of seconds.'
           else 'Use an interval from zero, such as "1 day", or a number of seconds.' end);
  end if;
  return v_value;
end
$$;

comment on function braid_store.boost_seconds(bigint, jsonb, text, float8, float8) is
  'Return a duration of a boost in seconds, or preset if the boost does not give it. Users write an interval or a '
  'number of seconds. Raise 22023 if the value is neither, or out of bounds.';
