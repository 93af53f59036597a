create or replace function braid_store.extend_new_collection(
  inout collection braid_store.collections,
  ranking jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_new_collection(braid_store.collections, jsonb) is
  'Extension point: let parts give a new collection settings that follow from its embedding model. ranking: the '
  'settings that the caller gives, which stay.';
