create or replace function braid_store.extend_search(
  tenant_id int,
  collection braid_store.collections,
  asked jsonb,
  kind jsonb,
  results jsonb,
  stats jsonb,
  warnings jsonb
)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}'::jsonb;
end
$$;

comment on function braid_store.extend_search(int, braid_store.collections, jsonb, jsonb, jsonb, jsonb, jsonb) is
  'Extension point: lets parts write down a search of braid.logged_search and its like, whose collection has '
  'settings of parts. Returns what they add to its stats. asked: the arguments of hybrid_search but the vector, by '
  'name. kind: what the search was besides, such as {"queries": 2}. A part must not raise: the search has its answer.';
