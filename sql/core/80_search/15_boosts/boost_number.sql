create or replace function braid_store.boost_number(
  place bigint,
  given jsonb,
  key text,
  preset float8,
  lowest float8,
  highest float8
)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given jsonb := boost_number.given -> boost_number.key;
  v_value float8;
begin
  if coalesce(v_given, 'null') = 'null' then
    return boost_number.preset;
  end if;
  if jsonb_typeof(v_given) = 'number' then
    v_value := braid_store.attribute_number(v_given::numeric);
    if abs(v_value) < 1e-9 then
      v_value := 0;
    end if;
  end if;
  if v_value is null or v_value not between boost_number.lowest and boost_number.highest then
    perform braid_store.boost_error(boost_number.place, boost_number.key, v_given,
                                    format('Use a number from %s to %s.', boost_number.lowest, boost_number.highest));
  end if;
  return v_value;
end
$$;

comment on function braid_store.boost_number(bigint, jsonb, text, float8, float8, float8) is
  'Return a number of a boost, or preset if the boost does not give it. Raise 22023 if the number is out of bounds. '
  'A number closer to 0 than 1e-9 becomes 0.';
