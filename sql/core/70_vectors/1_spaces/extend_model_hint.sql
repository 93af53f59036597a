create or replace function braid_store.extend_model_hint(collection_id int)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;

comment on function braid_store.extend_model_hint(int) is
  'Extension point: let parts add a sentence to a hint about the embedding models of a collection. The result is '
  'null without one.';
