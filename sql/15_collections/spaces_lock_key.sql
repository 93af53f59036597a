create or replace function braid_store.spaces_lock_key(collection_id int)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return hashtextextended('pgbraid spaces/' || spaces_lock_key.collection_id, 0);
end
$$;

comment on function braid_store.spaces_lock_key(int) is
  'The advisory lock of the vector spaces that a collection''s writers write to: they hold it shared, a step of a model '
  'migration takes it exclusively. Not lock_key: maintenance holds that one for as long as it makes an index.';
