-- role: writer
create or replace function braid_calls.write_ranking_model(name text, model jsonb)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_most_models constant int := 100;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_is_new boolean;
begin
  if (octet_length(write_ranking_model.name) between 1 and 255) is not true then
    raise exception 'name is %', coalesce('''' || left(write_ranking_model.name, 100) || '''', 'null')
      using errcode = '22023', hint = 'Give a name of 1 to 255 bytes.';
  end if;
  perform braid_store.check_ranking_model(write_ranking_model.model, 'model');
  -- An upsert of a partitioned table has no xmax that tells an insert from an update, so use two statements. Repeat if
  -- the model is dropped between them.
  loop
    insert into braid_store.ranking_models (tenant_id, name, model)
    values (v_tenant_id, write_ranking_model.name, write_ranking_model.model)
    on conflict on constraint ranking_models_pkey do nothing;
    v_is_new := found;
    exit when v_is_new;
    update braid_store.ranking_models m set model = write_ranking_model.model, updated_at = default
    where m.tenant_id = v_tenant_id and m.name = write_ranking_model.name;
    exit when found;
  end loop;
  if v_is_new and (select count(*) from braid_store.ranking_models m where m.tenant_id = v_tenant_id) > c_most_models
    then
    raise exception 'the tenant has % ranking models', c_most_models
      using errcode = '54000', hint = 'Drop ranking models that no search uses with braid.drop_ranking_model.';
  end if;
  return v_is_new;
end
$$;

comment on function braid_calls.write_ranking_model(text, jsonb) is 'Do the work of braid.store_ranking_model.';
