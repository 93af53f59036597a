create or replace function braid_store.extend_written_chunks_permissions(
  tenant_id int,
  collection braid_store.collections,
  inputs braid_store.document_input[],
  changes braid_store.document_change[],
  chunk_ids bigint[],
  previous_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if (collection.parts -> 'permissions')::boolean then
    perform braid_store.give_chunks_access(tenant_id, array(select ch.document_id from unnest(changes) ch));
  end if;
end
$$;

comment on function braid_store.extend_written_chunks_permissions(int, braid_store.collections,
                                                                  braid_store.document_input[],
                                                                  braid_store.document_change[], bigint[], bigint[]) is
  'Give the chunks of new and replaced documents the access list of their document.';
