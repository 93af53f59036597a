create or replace function braid_store.extend_tried_ranking_decompounding(
  collection braid_store.collections,
  old_parts jsonb
)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  perform braid_store.check_decompounding(extend_tried_ranking_decompounding.collection);
end
$$;

comment on function braid_store.extend_tried_ranking_decompounding(braid_store.collections, jsonb) is
  'Check the setting decompounding of a ranking that one search tries.';
