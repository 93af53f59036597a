create or replace function braid_store.extend_import_standing_queries(tenant_id int, records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_record jsonb;
  v_collection braid_store.collections;
  v_embedding @vector@.vector;
begin
  for v_record in
    select r.value -> 'standing_query'
    from jsonb_array_elements(extend_import_standing_queries.records) with ordinality r
    where r.value ? 'standing_query'
    order by r.ordinality
  loop
    v_collection := braid_store.find_collection(v_record ->> 'collection');
    -- Leave out vectors of another model than the collection's, as for documents, and queries with nothing else.
    v_embedding := case when exists (
      select from braid_store.vector_spaces s
      where s.id = v_collection.vector_space_id and s.embedding_model = v_record ->> 'embedding_model'
        and s.distance = v_record ->> 'distance' and to_jsonb(s.dimensions) = v_record -> 'dimensions')
      then (v_record ->> 'embedding')::@vector@.vector end;
    continue when v_embedding is null and v_record ->> 'query_text' = '';
    -- An equal query keeps the matches that it has here.
    continue when exists (
      select
      from braid_store.standing_queries q
      left join braid_store.standing_query_embeddings e
        on e.tenant_id = q.tenant_id and e.collection_id = q.collection_id and e.query_id = q.id
           and e.vector_space_id = v_collection.vector_space_id
      where q.tenant_id = extend_import_standing_queries.tenant_id and q.collection_id = v_collection.id
        and q.name = v_record ->> 'name'
        and (q.query_text, q.match, q.filters, q.options, e.embedding::text)
            is not distinct from (v_record ->> 'query_text', v_record ->> 'match',
                                  nullif(v_record -> 'filters', 'null'), nullif(v_record -> 'options', 'null'),
                                  v_embedding::text)
        and (e.min_score is null or to_jsonb(e.min_score) = v_record -> 'min_score'));
    perform braid_calls.remove_standing_query(v_record ->> 'name', v_collection.name),
            braid_store.write_standing_query(
              tenant_id, v_collection, v_record ->> 'name', v_record ->> 'query_text', v_embedding,
              nullif(v_record -> 'filters', 'null'), v_record ->> 'match',
              case when v_embedding is not null then (v_record ->> 'min_score')::float8 end,
              nullif(v_record -> 'options', 'null'), (v_record ->> 'created_at')::timestamptz);
  end loop;

  insert into braid_store.standing_query_matches (tenant_id, collection_id, query_id, chunk_id, kind, matched_at)
  select extend_import_standing_queries.tenant_id, c.id, q.id, k.id, r.match ->> 'kind',
         (r.match ->> 'matched_at')::timestamptz
  from (
    select r.value -> 'standing_query_match' as match, r.ordinality
    from jsonb_array_elements(extend_import_standing_queries.records) with ordinality r
    where r.value ? 'standing_query_match'
  ) r
  join braid_store.collections c on c.name = r.match ->> 'collection'
  join braid_store.standing_queries q
    on q.tenant_id = extend_import_standing_queries.tenant_id and q.collection_id = c.id and q.name = r.match ->> 'name'
  join braid_store.documents d
    on d.tenant_id = extend_import_standing_queries.tenant_id and d.collection_id = c.id
       and d.external_id = r.match ->> 'external_id'
  join braid_store.chunks k
    on k.tenant_id = d.tenant_id and k.document_id = d.id
       and k.chunk_index = (r.match ->> 'chunk_index')::numeric::int
  where not exists (
    select from braid_store.standing_query_matches m
    where m.tenant_id = k.tenant_id and m.chunk_id = k.id and m.query_id = q.id and m.kind = r.match ->> 'kind'
      and m.matched_at = (r.match ->> 'matched_at')::timestamptz)
  order by r.ordinality;
exception
  when invalid_parameter_value then
    raise;
  when data_exception or integrity_constraint_violation then
    raise exception 'records cannot be stored: %', sqlerrm
      using errcode = '22023', hint = 'Send the records unchanged, as braid.export_tenant returned them.';
end
$$;

comment on function braid_store.extend_import_standing_queries(int, jsonb) is
  'Store the standing queries among exported records, replacing others of the same names, and the matches of '
  'documents that are there. A query with nothing but a vector of another model is left out.';
