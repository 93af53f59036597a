create or replace function braid_store.search_id_at(searched_at timestamptz)
returns uuid
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The first 48 bits of a random UUID become the time in milliseconds, and its version becomes 7 instead of 4 (RFC
  -- 9562).
  return encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              placing substring(int8send(floor(extract(epoch from search_id_at.searched_at) * 1000)::bigint) from 3)
              from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid;
end
$$;

comment on function braid_store.search_id_at(timestamptz) is
  'Return a new id for a search: a UUID of version 7, which begins with the time.';
