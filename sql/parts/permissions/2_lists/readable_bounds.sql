-- role: reader, definer
-- tenants: all
-- The policies of documents and chunks call it for readers and for the definer role.
create or replace function braid_calls.readable_bounds()
returns bigint[]
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_signature text := current_setting('braid.readable_lists_signature', true);
  v_carried text;
  v_lists int8multirange;
begin
  if v_signature <> '' then
    v_carried := current_setting('braid.readable_lists', true);
    if v_signature = braid_store.lists_signature(v_carried) then
      return v_carried::bigint[];
    end if;
  end if;
  v_lists := braid_calls.readable_lists();
  return case when v_lists = '{(,)}' then '{0}'
              else array(select unnest(array[lower(r), upper(r)]) from unnest(v_lists) r) end;
end
$$;

comment on function braid_calls.readable_bounds() is
  'Return where the ranges of access lists begin and end whose documents the session may read: [1,3) and [7,8) are '
  '{1,3,7,8}. A list may be read if an odd number of bounds is up to its id; {0} reads all. Never null, which policies '
  'take for no list. A document without a list is for everyone in the tenant. An array is read from the setting in a '
  'fifth of the time of a multirange.';
