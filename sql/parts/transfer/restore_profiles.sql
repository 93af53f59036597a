create or replace function braid_store.restore_profiles(tenant_id int, records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong text;
begin
  select left(r.value #>> '{profile,profile}', 100) into v_wrong
  from jsonb_array_elements(restore_profiles.records) r,
       lateral (select (r.value #>> '{profile,embedding}')::@vector@.vector as vector offset 0) e
  where r.value ? 'profile'
    and (to_jsonb(@vector@.vector_dims(e.vector)) <> r.value #> '{profile,dimensions}'
         or @vector@.vector_norm(e.vector) > 1e18
         or @vector@.vector_norm(e.vector) < 1e-15 and r.value #>> '{profile,distance}' = 'cosine');
  if found then
    raise exception 'profile "%": embedding has other dimensions than its model, or a length that cannot be compared', v_wrong
      using errcode = '22023', hint = 'Send the record as braid.export_tenant gave it.';
  end if;

  -- A vector of a model that is not here is left out, as those of documents are, and so is a record that had nothing else.
  insert into braid_store.profiles (tenant_id, name, vector_space_id, embedding, attributes, updated_at)
  select distinct on (r.value #>> '{profile,profile}') restore_profiles.tenant_id, r.value #>> '{profile,profile}', s.id,
         case when s.id is not null then (r.value #>> '{profile,embedding}')::@vector@.vector end,
         r.value #> '{profile,attributes}', (r.value #>> '{profile,updated_at}')::timestamptz
  from jsonb_array_elements(restore_profiles.records) with ordinality r
  left join braid_store.vector_spaces s
    on s.embedding_model = r.value #>> '{profile,embedding_model}' and s.distance = r.value #>> '{profile,distance}'
       and to_jsonb(s.dimensions) = r.value #> '{profile,dimensions}'
  where r.value ? 'profile'
    and not (s.id is null and r.value #>> '{profile,embedding}' is not null and r.value #> '{profile,attributes}' = '{}')
  order by r.value #>> '{profile,profile}', r.ordinality desc
  on conflict on constraint profiles_pkey do update
  set vector_space_id = excluded.vector_space_id, embedding = excluded.embedding, attributes = excluded.attributes,
      updated_at = excluded.updated_at;
exception
  when invalid_parameter_value then
    raise;
  when data_exception or integrity_constraint_violation or program_limit_exceeded then
    raise exception 'records cannot be stored: %', sqlerrm
      using errcode = '22023', hint = 'Send them as braid.export_tenant gave them.';
end
$$;

comment on function braid_store.restore_profiles(int, jsonb) is
  'Stores the profiles among exported records, in place of those of the same names. One that has only a vector, '
  'whose model is not here, is left out.';
