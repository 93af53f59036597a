-- role: writer
create or replace function braid_calls.read_judgments(query_set text, query_id text)
returns table (external_id text, chunk_index int, judge text, grade int, updated_at timestamptz)
language plpgsql
stable
parallel unsafe
security definer
rows 100
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
begin
  perform braid_store.find_query_set(v_tenant_id, read_judgments.query_set);
  return query
  select j.external_id, nullif(j.chunk_index, -1), j.judge, j.grade::int, j.updated_at
  from braid_store.judgments j
  where j.tenant_id = v_tenant_id and j.query_set = read_judgments.query_set and j.query_id = read_judgments.query_id
  order by j.grade desc, j.external_id, j.chunk_index, j.judge;
end
$$;

comment on function braid_calls.read_judgments(text, text) is 'Do the work of braid.list_judgments.';
