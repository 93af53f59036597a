-- role: writer
create or replace function braid_calls.read_ranking_model(name text)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
begin
  return (
    select m.model from braid_store.ranking_models m
    where m.tenant_id = v_tenant_id and m.name = read_ranking_model.name);
end
$$;

comment on function braid_calls.read_ranking_model(text) is 'Do the work of braid.get_ranking_model.';
