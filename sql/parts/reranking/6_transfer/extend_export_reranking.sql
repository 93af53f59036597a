create or replace function braid_store.extend_export_reranking(tenant_id int, kind text)
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
  if kind = 'profile' then
    return query
    select jsonb_build_object('profile', braid_store.profile_json(p))
    from braid_store.profiles p
    where p.tenant_id = extend_export_reranking.tenant_id
    order by p.name;
  elsif kind = 'ranking_model' then
    return query
    select jsonb_build_object('ranking_model', jsonb_build_object('name', m.name, 'model', m.model, 'updated_at',
      m.updated_at))
    from braid_store.ranking_models m
    where m.tenant_id = extend_export_reranking.tenant_id
    order by m.name;
  end if;
end
$$;

comment on function braid_store.extend_export_reranking(int, text) is
  'Return a tenant''s profiles, or its ranking models.';
