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
  'Extension point: let parts log a search of braid.logged_search and similar functions, whose collection has '
  'settings of parts. Return what they add to the search''s stats. asked: the arguments of hybrid_search by name, '
  'without the vector. kind has what was special about the search, such as {"queries": 2}. A part must not raise an '
  'error, because the search has already succeeded.';
