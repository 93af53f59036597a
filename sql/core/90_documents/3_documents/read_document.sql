-- role: reader
create or replace function braid_calls.read_document(
  external_id text,
  collection text,
  first_chunk int,
  chunk_count int
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(read_document.collection);
begin
  if (read_document.first_chunk >= 0) is not true then
    raise exception 'first_chunk is %', coalesce(read_document.first_chunk::text, 'null')
      using errcode = '22023', hint = 'Use 0 for the first chunk of the document, or a greater chunk_index.';
  elsif read_document.chunk_count < 0 then
    raise exception 'chunk_count is %', read_document.chunk_count
      using errcode = '22023', hint = 'Use 0 or more, or null for all chunks from first_chunk on.';
  end if;
  return (
    select jsonb_build_object(
      'document_id', d.id, 'external_id', d.external_id, 'title', d.title, 'source_uri', d.source_uri,
      'metadata', d.metadata, 'occurred_at', d.occurred_at, 'created_at', d.created_at, 'updated_at', d.updated_at,
      'chunk_count', (select count(*) from braid_store.chunks c
                      where c.tenant_id = v_tenant_id and c.document_id = d.id),
      'chunks', coalesce(
        (select jsonb_agg(jsonb_build_object(
                  'chunk_id', c.id, 'chunk_index', c.chunk_index, 'content', c.content, 'token_count', c.token_count,
                  'speaker', c.speaker, 'category', c.category, 'importance', c.importance,
                  'occurred_at', c.occurred_at, 'language', c.language, 'metadata', c.metadata)
                order by c.chunk_index)
         from braid_store.chunks c
         where c.tenant_id = v_tenant_id and c.document_id = d.id
           and c.chunk_index >= read_document.first_chunk
           and c.chunk_index < coalesce(read_document.first_chunk::bigint + read_document.chunk_count, 2147483648)),
        '[]'))
    from braid_store.documents d
    where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
      and d.external_id = read_document.external_id
      and (v_collection.parts is null or braid_store.extend_hidden_document(d, v_collection) is not true));
end
$$;

comment on function braid_calls.read_document(text, text, int, int) is 'Do the work of braid.get_document.';
