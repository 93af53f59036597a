-- role: writer
create or replace function braid_calls.remove_query_set(query_set text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
begin
  delete from braid_store.query_sets s where s.tenant_id = v_tenant_id and s.name = remove_query_set.query_set;
  if not found then
    return false;
  end if;
  delete from braid_store.judgments j where j.tenant_id = v_tenant_id and j.query_set = remove_query_set.query_set;
  delete from braid_store.query_set_embeddings e where e.tenant_id = v_tenant_id
    and e.query_set = remove_query_set.query_set;
  delete from braid_store.queries q where q.tenant_id = v_tenant_id and q.query_set = remove_query_set.query_set;
  return true;
end
$$;

comment on function braid_calls.remove_query_set(text) is 'Do the work of braid.drop_query_set.';
