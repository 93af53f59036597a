create or replace function braid_store.extend_import_evaluation(tenant_id int, records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_record record;
  v_level text;
  v_embeddings @vector@.vector[];
begin
  for v_record in
    select r.value -> 'query_set' as query_set, r.value -> 'query' as query,
           coalesce(r.value #>> '{query_set,query_set}', r.value #>> '{query,query_set}') as name,
           r.value #>> '{query,query_id}' as query_id
    from jsonb_array_elements(extend_import_evaluation.records) with ordinality r
    where r.value ?| '{query_set,query}'
    order by r.ordinality
  loop
    if v_record.query_set is not null then
      insert into braid_store.query_sets as s (tenant_id, name, level, description, created_at)
      values (extend_import_evaluation.tenant_id, v_record.name, v_record.query_set ->> 'level',
              v_record.query_set ->> 'description', (v_record.query_set ->> 'created_at')::timestamptz)
      on conflict on constraint query_sets_pkey do update
      set description = excluded.description, created_at = excluded.created_at
      returning s.level into v_level;
      if v_level <> v_record.query_set ->> 'level' then
        raise exception 'query set "%" exists already, with the level %', left(v_record.name, 255), v_level
          using errcode = '22023', hint = 'Drop it with braid.drop_query_set, or leave out the records of this '
                                          'query set.';
      end if;
      continue;
    end if;

    select s.level into v_level
    from braid_store.query_sets s
    where s.tenant_id = extend_import_evaluation.tenant_id and s.name = v_record.name
    for share;
    if not found then
      raise exception 'a query belongs to query set "%", which does not exist', left(v_record.name, 255)
        using errcode = '22023',
          hint = 'Send the records as braid.export_tenant returned them: the query set before its queries.';
    end if;
    perform braid_store.check_queries(jsonb_build_array(
              v_record.query - '{query_set,updated_at,embeddings,judgments}'::text[])),
            braid_store.check_judgments(
              (select coalesce(jsonb_agg(case jsonb_typeof(j.value)
                                           when 'object' then j.value - 'updated_at' || jsonb_build_object('query_id',
                                             v_record.query_id)
                                           else j.value end), '[]')
               from jsonb_array_elements(v_record.query -> 'judgments') j), v_level);
    v_embeddings := array(
      select (e.value ->> 'embedding')::@vector@.vector from jsonb_array_elements(v_record.query -> 'embeddings')
        with ordinality e
      order by e.ordinality);
    if exists (select from unnest(v_embeddings) u where (@vector@.vector_norm(u) <= 1e18) is not true) then
      raise exception 'an embedding of query "%" has a length that cannot be compared', left(v_record.query_id, 100)
        using errcode = '22023', hint = 'Send the record unchanged, as braid.export_tenant returned it.';
    end if;

    delete from braid_store.judgments j
    where j.tenant_id = extend_import_evaluation.tenant_id and j.query_set = v_record.name
      and j.query_id = v_record.query_id;
    delete from braid_store.query_set_embeddings e
    where e.tenant_id = extend_import_evaluation.tenant_id and e.query_set = v_record.name
      and e.query_id = v_record.query_id;
    insert into braid_store.queries (tenant_id, query_set, query_id, query_text, filters, updated_at)
    values (extend_import_evaluation.tenant_id, v_record.name, v_record.query_id, v_record.query ->> 'text',
            nullif(v_record.query -> 'filters', 'null'), (v_record.query ->> 'updated_at')::timestamptz)
    on conflict on constraint queries_pkey do update
    set query_text = excluded.query_text, filters = excluded.filters, updated_at = excluded.updated_at;
    -- Leave out vectors of an unknown embedding model, as for documents.
    insert into braid_store.query_set_embeddings (tenant_id, query_set, query_id, vector_space_id, embedding)
    select distinct on (s.id) extend_import_evaluation.tenant_id, v_record.name, v_record.query_id, s.id,
      v_embeddings[e.ordinality]
    from jsonb_array_elements(v_record.query -> 'embeddings') with ordinality e
    join braid_store.vector_spaces s
      on s.embedding_model = e.value ->> 'embedding_model' and s.distance = e.value ->> 'distance'
         and to_jsonb(s.dimensions) = e.value -> 'dimensions'
    where s.dimensions = @vector@.vector_dims(v_embeddings[e.ordinality])
      and (s.distance <> 'cosine' or @vector@.vector_norm(v_embeddings[e.ordinality]) >= 1e-15)
    order by s.id, e.ordinality desc;
    insert into braid_store.judgments (tenant_id, query_set, query_id, external_id, chunk_index, judge, grade,
      updated_at)
    select extend_import_evaluation.tenant_id, v_record.name, v_record.query_id, j.value ->> 'external_id',
           coalesce((j.value ->> 'chunk_index')::numeric::int, -1), coalesce(j.value ->> 'judge', 'default'),
           (j.value ->> 'grade')::numeric::smallint, (j.value ->> 'updated_at')::timestamptz
    from jsonb_array_elements(v_record.query -> 'judgments') j
    where jsonb_typeof(j.value -> 'grade') = 'number'
    order by j.value ->> 'external_id' collate "C"
    on conflict on constraint judgments_pkey do nothing;
  end loop;
exception
  when invalid_parameter_value then
    raise;
  when data_exception or integrity_constraint_violation or program_limit_exceeded then
    raise exception 'records cannot be stored: %', sqlerrm
      using errcode = '22023', hint = 'Send the records unchanged, as braid.export_tenant returned them.';
end
$$;

comment on function braid_store.extend_import_evaluation(int, jsonb) is
  'Store the query sets and queries among exported records, replacing queries with the same ids.';
