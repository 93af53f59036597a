-- role: definer
-- tenants: all
-- Only readable_lists and this function may know signatures.
create or replace function braid_store.carry_readable_lists()
returns int8multirange
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lists int8multirange := braid_calls.readable_lists();
  v_carried text := v_lists::text;
begin
  perform set_config('braid.readable_lists', v_carried, true),
          set_config('braid.readable_lists_signature', braid_store.lists_signature(v_carried), true);
  return v_lists;
end
$$;

comment on function braid_store.carry_readable_lists() is
  'Return the access lists that the session may read, and carry them to the other statements of a search. They are in '
  'a setting, which any login can set, so another setting has their signature.';
