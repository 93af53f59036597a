-- role: writer
create or replace function braid_calls.count_query_sets()
returns table (
  query_set text, level text, description text, query_count bigint, judged_count bigint, judgment_count bigint,
    judges text[],
  created_at timestamptz
)
language plpgsql
stable
parallel unsafe
security definer
rows 10
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
begin
  return query
  select s.name, s.level, s.description, q.query_count, j.judged_count, j.judgment_count, j.judges, s.created_at
  from braid_store.query_sets s,
       lateral (
         select count(*) as query_count from braid_store.queries q
         where q.tenant_id = v_tenant_id and q.query_set = s.name
       ) q,
       lateral (
         select count(distinct j.query_id) as judged_count, count(*) as judgment_count,
                coalesce(array_agg(distinct j.judge), '{}') as judges
         from braid_store.judgments j
         where j.tenant_id = v_tenant_id and j.query_set = s.name
       ) j
  where s.tenant_id = v_tenant_id
  order by s.name;
end
$$;

comment on function braid_calls.count_query_sets() is 'Do the work of braid.list_query_sets.';
