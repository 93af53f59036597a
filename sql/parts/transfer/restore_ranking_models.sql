create or replace function braid_store.restore_ranking_models(tenant_id int, records jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_models constant int := 100; -- as in write_ranking_model
begin
  insert into braid_store.ranking_models (tenant_id, name, model, updated_at)
  select distinct on (r.value #>> '{ranking_model,name}') restore_ranking_models.tenant_id, r.value #>> '{ranking_model,name}',
         r.value #> '{ranking_model,model}', (r.value #>> '{ranking_model,updated_at}')::timestamptz
  from jsonb_array_elements(restore_ranking_models.records) with ordinality r
  where r.value ? 'ranking_model'
  order by r.value #>> '{ranking_model,name}', r.ordinality desc
  on conflict on constraint ranking_models_pkey do update
  set model = excluded.model, updated_at = excluded.updated_at;
  if found and (select count(*) from braid_store.ranking_models m
                where m.tenant_id = restore_ranking_models.tenant_id) > c_most_models then
    raise exception 'the tenant would have more than % ranking models', c_most_models
      using errcode = '22023', hint = 'Drop some with braid.drop_ranking_model, or leave records of some out.';
  end if;
exception
  when invalid_parameter_value then
    raise;
  when data_exception or integrity_constraint_violation or program_limit_exceeded then
    raise exception 'records cannot be stored: %', sqlerrm
      using errcode = '22023', hint = 'Send them as braid.export_tenant gave them.';
end
$$;

comment on function braid_store.restore_ranking_models(int, jsonb) is
  'Stores the ranking models among exported records, which check_records has checked, in place of those of the same names.';
