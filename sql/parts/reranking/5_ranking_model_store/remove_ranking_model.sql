-- role: writer
create or replace function braid_calls.remove_ranking_model(name text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
begin
  delete from braid_store.ranking_models m where m.tenant_id = v_tenant_id and m.name = remove_ranking_model.name;
  return found;
end
$$;

comment on function braid_calls.remove_ranking_model(text) is 'Do the work of braid.drop_ranking_model.';
