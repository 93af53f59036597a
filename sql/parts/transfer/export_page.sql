create or replace function braid_store.export_page(
  tenant_id int,
  collection braid_store.collections,
  document_ids bigint[]
)
returns setof jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_columns text[] := '{tenant_id,id,collection_id}'::text[] || braid_store.part_columns('documents')
    || braid_store.part_columns('chunks');
  v_space braid_store.collections;
  v_chunk_ids bigint[];
  v_embeddings jsonb := '{}';
begin
  if export_page.document_ids is null then
    return next jsonb_build_object('collection', braid_store.collection_definition(export_page.collection));
    return;
  end if;

  v_chunk_ids := array(
    select k.id
    from unnest(export_page.document_ids) u (id),
         lateral (
           select k.id from braid_store.chunks k
           where k.tenant_id = export_page.tenant_id and k.document_id = u.id
           offset 0
         ) k);
  -- During a model change, export the vectors of both models.
  for v_space in select w.* from braid_store.written_spaces(export_page.collection) w loop
    v_embeddings := v_embeddings || jsonb_build_object(
      (select s.embedding_model from braid_store.vector_spaces s where s.id = v_space.vector_space_id),
      (select jsonb_object_agg(e.chunk_id, e.embedding::text)
       from braid_store.stored_embeddings(export_page.tenant_id, v_space, v_chunk_ids) e));
  end loop;

  return query
  select jsonb_build_object('document', to_jsonb(d) - v_columns || jsonb_build_object(
    'collection', export_page.collection.name,
    'chunks', coalesce(
      (select jsonb_agg(
                to_jsonb(k) - v_columns - '{document_id,attribute_version}'::text[]
                  || jsonb_build_object(
                  'embeddings',
                  (select coalesce(jsonb_object_agg(e.key, e.value -> k.id::text), '{}')
                   from jsonb_each(v_embeddings) e
                   where e.value -> k.id::text is not null),
                  'sparse',
                  (select jsonb_object_agg(t.term, t.weight)
                   from braid_store.sparse_rows r, unnest(string_to_array(r.terms, E'\n'), r.weights) t (term, weight)
                   where r.tenant_id = export_page.tenant_id and r.collection_id = export_page.collection.id
                     and r.chunk_id = k.id))
                || case when export_page.collection.parts is not null
                        then braid_store.extend_export_chunk(export_page.tenant_id, export_page.collection, k.id)
                          else '{}' end
                order by k.chunk_index)
       from braid_store.chunks k
       where k.tenant_id = export_page.tenant_id and k.document_id = d.id), '[]'))
    || case when export_page.collection.parts is not null
            then braid_store.extend_export_document(export_page.tenant_id, export_page.collection, d.id)
            else '{}' end)
  from unnest(export_page.document_ids) with ordinality u (id, number),
       lateral (
         select d.* from braid_store.documents d where d.tenant_id = export_page.tenant_id and d.id = u.id offset 0
       ) d
  order by u.number;
end
$$;

comment on function braid_store.export_page(int, braid_store.collections, bigint[]) is
  'Return documents in the form of export_tenant: all columns but the ids, which an import assigns anew. '
  'document_ids: null returns the definition of the collection instead.';
