create or replace function braid_store.number_value(place bigint, key text, given jsonb)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_function text := coalesce(nullif(given -> 'function', 'null') #>> '{}', 'linear');
  v_factor float8 := braid_store.boost_number(place, given, 'factor', 1, -1e6, 1e6);
  v_missing float8 := braid_store.boost_number(place, given, 'missing', null, -1e9, 1e9);
  v_has_number text := braid_store.has_number(number_value.key);
  v_number text := format('%L::float8 * case when %s then %s else %L::float8 end', v_factor, v_has_number,
                          braid_store.number_field(number_value.key), v_missing);
begin
  v_number := case v_function
    when 'linear' then format('least(greatest(%s, -1e9), 1e9)', v_number)
    when 'log' then format('ln(1 + greatest(%s, 0))', v_number)
    when 'sqrt' then format('sqrt(greatest(%s, 0))', v_number)
    when 'reciprocal' then format('1 / (1 + greatest(%s, 0))', v_number)
    else braid_store.boost_error(place, 'function', given -> 'function', 'Use linear, log, sqrt or reciprocal.')::text
  end;
  -- greatest() ignores nulls: without this test, a chunk without the number would get a value.
  return case when v_missing is null then format('case when %s then %s end', v_has_number, v_number) else v_number end;
end
$$;

comment on function braid_store.number_value(bigint, text, jsonb) is
  'Return the SQL expression of a boost''s value for a number x of the chunk, named as in filters. With y = factor × '
  'x the functions are: linear y, log ln(1 + max(y, 0)), sqrt √max(y, 0), reciprocal 1 / (1 + max(y, 0)). If the '
  'chunk has no x, the number missing replaces it; if missing is not given either, the value is null.';
