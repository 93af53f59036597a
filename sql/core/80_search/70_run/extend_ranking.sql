create or replace function braid_store.extend_ranking(
  inout candidates braid_store.fused_candidate[],
  request braid_store.search_request
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_ranking(braid_store.fused_candidate[], braid_store.search_request) is
  'Extension point: let parts give fused candidates new scores, in a search whose request has parts. candidates are '
  'sorted, best first, before and after the call.';
