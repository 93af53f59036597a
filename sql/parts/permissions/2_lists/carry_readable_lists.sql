-- role: definer
-- tenants: all
-- Only readable_bounds and this function may know signatures.
create or replace function braid_store.carry_readable_lists()
returns bigint[]
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bounds bigint[] := braid_calls.readable_bounds();
  v_carried text := v_bounds::text;
begin
  perform set_config('braid.readable_lists', v_carried, true),
          set_config('braid.readable_lists_signature', braid_store.lists_signature(v_carried), true);
  return v_bounds;
end
$$;

comment on function braid_store.carry_readable_lists() is
  'Return the bounds of the access lists that the session may read, and carry them to the other statements of a '
  'search. They are in a setting, which any login can set, so another setting has their signature.';
