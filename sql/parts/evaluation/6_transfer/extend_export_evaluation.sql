create or replace function braid_store.extend_export_evaluation(tenant_id int, kind text)
returns setof jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
begin
  if kind = 'query_set' then
    return query
    select jsonb_build_object('query_set', jsonb_build_object(
             'query_set', s.name, 'level', s.level, 'description', s.description, 'created_at', s.created_at))
    from braid_store.query_sets s
    where s.tenant_id = extend_export_evaluation.tenant_id
    order by s.name;
  elsif kind = 'query' then
    return query
    select jsonb_build_object('query', braid_store.query_json(q))
    from braid_store.queries q
    where q.tenant_id = extend_export_evaluation.tenant_id
    order by q.query_set, q.query_id;
  end if;
end
$$;

comment on function braid_store.extend_export_evaluation(int, text) is
  'Return a tenant''s query sets, or the queries of all its query sets.';
