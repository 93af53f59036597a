-- role: writer
create or replace function braid_calls.describe_ranking_models()
returns table (name text, mode text, features text[], tree_count int, learned jsonb, collections text[],
  updated_at timestamptz)
language plpgsql
stable
parallel unsafe
security definer
rows 10
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
begin
  return query
  select m.name, m.model ->> 'mode', array(select jsonb_array_elements_text(m.model -> 'features')),
         coalesce(jsonb_array_length(m.model -> 'trees'), 0), m.model -> 'learned',
         array(select c.name from braid_store.collections c where c.parts ->> 'ranking_model' = m.name order by c.name),
           m.updated_at
  from braid_store.ranking_models m
  where m.tenant_id = v_tenant_id
  order by m.name;
end
$$;

comment on function braid_calls.describe_ranking_models() is 'Do the work of braid.list_ranking_models.';
