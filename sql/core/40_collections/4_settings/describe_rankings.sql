-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.describe_rankings(collection text)
returns table (
  version int,
  is_current boolean,
  changed_at timestamptz,
  login text,
  role text,
  reason text,
  restored_version int,
  changes jsonb,
  ranking jsonb,
  evaluation jsonb
)
language plpgsql
stable
parallel safe
security definer
rows 100
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(describe_rankings.collection);
begin
  return query
  select r.version,
         braid_store.ranking_of(v_collection) @> r.ranking and row_number() over (order by r.version desc) = 1,
         r.changed_at, r.login, r.role, r.reason, r.restored_version,
         (select coalesce(jsonb_object_agg(s.name, jsonb_build_array(r.previous -> s.name, r.ranking -> s.name)), '{}')
          from braid_store.known_ranking_settings() s
          where r.previous is not null and r.previous -> s.name is distinct from r.ranking -> s.name),
         r.ranking, r.evaluation
  from braid_store.ranking_versions r
  where r.collection_id = v_collection.id
  order by r.version desc;
end
$$;

comment on function braid_store.describe_rankings(text) is 'Do the work of braid.list_rankings.';
