create or replace function braid_store.extend_import_reranking(tenant_id int, records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_models constant int := 100; -- the limit is the same as in write_ranking_model
  v_wrong text;
begin
  perform braid_store.check_profile_attributes(r.value #> '{profile,attributes}',
                                               format('profile "%s": attributes', left(r.value #>> '{profile,profile}',
                                                 100)))
  from jsonb_array_elements(extend_import_reranking.records) r
  where r.value ? 'profile';
  perform braid_store.check_ranking_model(r.value #> '{ranking_model,model}',
                                          format('ranking model "%s"', left(r.value #>> '{ranking_model,name}', 100)))
  from jsonb_array_elements(extend_import_reranking.records) r
  where r.value ? 'ranking_model';

  begin
    select left(r.value #>> '{profile,profile}', 100) into v_wrong
    from jsonb_array_elements(extend_import_reranking.records) r,
         lateral (select (r.value #>> '{profile,embedding}')::@vector@.vector as vector offset 0) e
    where r.value ? 'profile'
      and (to_jsonb(@vector@.vector_dims(e.vector)) <> r.value #> '{profile,dimensions}'
           or @vector@.vector_norm(e.vector) > 1e18
           or @vector@.vector_norm(e.vector) < 1e-15 and r.value #>> '{profile,distance}' = 'cosine');
    if found then
      raise exception 'profile "%": embedding has other dimensions than its model, or a length that cannot be compared',
        v_wrong
        using errcode = '22023', hint = 'Send the record unchanged, as braid.export_tenant returned it.';
    end if;

    -- Leave out vectors of an unknown embedding model, as for documents, and profiles that have nothing else.
    insert into braid_store.profiles (tenant_id, name, vector_space_id, embedding, attributes, updated_at)
    select distinct on (r.value #>> '{profile,profile}') extend_import_reranking.tenant_id,
      r.value #>> '{profile,profile}', s.id,
           case when s.id is not null then (r.value #>> '{profile,embedding}')::@vector@.vector end,
           r.value #> '{profile,attributes}', (r.value #>> '{profile,updated_at}')::timestamptz
    from jsonb_array_elements(extend_import_reranking.records) with ordinality r
    left join braid_store.vector_spaces s
      on s.embedding_model = r.value #>> '{profile,embedding_model}' and s.distance = r.value #>> '{profile,distance}'
         and to_jsonb(s.dimensions) = r.value #> '{profile,dimensions}'
    where r.value ? 'profile'
      and not (s.id is null and r.value #>> '{profile,embedding}' is not null
        and r.value #> '{profile,attributes}' = '{}')
    order by r.value #>> '{profile,profile}', r.ordinality desc
    on conflict on constraint profiles_pkey do update
    set vector_space_id = excluded.vector_space_id, embedding = excluded.embedding, attributes = excluded.attributes,
        updated_at = excluded.updated_at;

    insert into braid_store.ranking_models (tenant_id, name, model, updated_at)
    select distinct on (r.value #>> '{ranking_model,name}') extend_import_reranking.tenant_id,
      r.value #>> '{ranking_model,name}',
           r.value #> '{ranking_model,model}', (r.value #>> '{ranking_model,updated_at}')::timestamptz
    from jsonb_array_elements(extend_import_reranking.records) with ordinality r
    where r.value ? 'ranking_model'
    order by r.value #>> '{ranking_model,name}', r.ordinality desc
    on conflict on constraint ranking_models_pkey do update
    set model = excluded.model, updated_at = excluded.updated_at;
    if found and (select count(*) from braid_store.ranking_models m
                  where m.tenant_id = extend_import_reranking.tenant_id) > c_most_models then
      raise exception 'the tenant would have more than % ranking models', c_most_models
        using errcode = '22023', hint = 'Drop ranking models with braid.drop_ranking_model, or leave out records of '
                                        'ranking models.';
    end if;
  exception
    when invalid_parameter_value then
      raise;
    when data_exception or integrity_constraint_violation or program_limit_exceeded then
      raise exception 'records cannot be stored: %', sqlerrm
        using errcode = '22023', hint = 'Send the records unchanged, as braid.export_tenant returned them.';
  end;
end
$$;

comment on function braid_store.extend_import_reranking(int, jsonb) is
  'Store the profiles and the ranking models among exported records, replacing existing ones of the same names. A '
  'profile with nothing but a vector of an unknown model is left out.';
