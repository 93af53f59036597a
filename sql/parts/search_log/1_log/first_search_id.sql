create or replace function braid_store.first_search_id(searched_at timestamptz)
returns uuid
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return rpad(lpad(to_hex(floor(extract(epoch from first_search_id.searched_at) * 1000)::bigint), 12, '0'), 32,
    '0')::uuid;
end
$$;

comment on function braid_store.first_search_id(timestamptz) is
  'Return the lowest id that a search at this time can have.';
