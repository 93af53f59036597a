create or replace function braid_store.boost_error(place bigint, key text, value jsonb, hint text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'option boosts, number %: % is %', boost_error.place, left(boost_error.key, 100),
                  coalesce(left(boost_error.value::text, 100), 'missing')
    using errcode = '22023', hint = boost_error.hint;
end
$$;

comment on function braid_store.boost_error(bigint, text, jsonb, text) is
  'Raise 22023 for an invalid value in the option boosts; the message names the key and the boost''s place.';
