create or replace function braid_store.boost_keys(place bigint, given jsonb, known text[])
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_unknown text := (select k from jsonb_object_keys(boost_keys.given) k where k <> all (boost_keys.known) limit 1);
begin
  if v_unknown is not null then
    raise exception 'option boosts, number %: unknown key "%"', boost_keys.place, left(v_unknown, 100)
      using errcode = '22023', hint = 'The keys are: ' || array_to_string(boost_keys.known, ', ') || '.';
  end if;
end
$$;

comment on function braid_store.boost_keys(bigint, jsonb, text[]) is
  'Raise 22023 if a boost has an unknown key.';
