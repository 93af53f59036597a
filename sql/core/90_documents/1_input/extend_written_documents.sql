create or replace function braid_store.extend_written_documents(
  tenant_id int,
  collection braid_store.collections,
  external_ids text[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_written_documents(int, braid_store.collections, text[]) is
  'Extension point: let parts check documents that were written, or whose metadata changed, with their chunks. It is '
  'called at the end of the write, for collections that have settings of parts.';
