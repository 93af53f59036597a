create or replace function braid_store.extend_narrowed_documents(
  tenant_id int,
  collection_id int,
  external_ids text[],
  accesses jsonb[]
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

comment on function braid_store.extend_narrowed_documents(int, int, text[], jsonb[]) is
  'Extension point: let nobody read documents, until they are written again, who may not read both the document as it '
  'is and a document with this access. external_ids may have a document several times.';
