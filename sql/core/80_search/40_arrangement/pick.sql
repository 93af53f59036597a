create or replace function braid_store.pick(elements anyarray, places int[])
returns anyarray
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(select pick.elements[p.place] from unnest(pick.places) with ordinality p (place, number)
    order by p.number);
end
$$;

comment on function braid_store.pick(anyarray, int[]) is
  'Return the elements of an array at the given places, in the order of the places.';
