create or replace function braid_store.previous_chunks(
  tenant_id int,
  collection braid_store.collections,
  changes braid_store.document_change[]
)
returns braid_store.previous_chunk[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return (
    select array_agg(row(k.id, c.document_id, sha256(convert_to(
                       braid_store.embedding_input(previous_chunks.collection, c.previous_title, k.speaker, k.content),
                       'UTF8')))::braid_store.previous_chunk
                     order by k.id)
    from unnest(previous_chunks.changes) c,
         lateral (
           select k.id, k.speaker, k.content from braid_store.chunks k
           where k.tenant_id = previous_chunks.tenant_id and k.document_id between c.document_id and c.document_id
           order by k.document_id
           offset 0
         ) k
    where c.status = 'replaced');
end
$$;

comment on function braid_store.previous_chunks(int, braid_store.collections, braid_store.document_change[]) is
  'Return the chunks that replaced documents still have, in the order of their ids; null if there are none. The caller '
  'has locked the documents.';
