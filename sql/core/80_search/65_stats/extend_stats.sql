create or replace function braid_store.extend_stats(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}'::jsonb;
end
$$;

comment on function braid_store.extend_stats(braid_store.search_request, braid_store.fused_candidate[]) is
  'Extension point: let parts add to the stats of a search in which they took part. candidates are the search''s '
  'candidates as ranked.';
