create or replace function braid_store.extend_status_standing_queries(tenant_id int, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return jsonb_build_object(
    'standing_queries', (
      select count(*) from braid_store.standing_queries q
      where q.tenant_id = extend_status_standing_queries.tenant_id
        and q.collection_id = extend_status_standing_queries.collection_id),
    'standing_query_matches', (
      select cardinality(braid_store.visible_matches(
        extend_status_standing_queries.tenant_id, extend_status_standing_queries.collection_id, array_agg(m.id)))
      from braid_store.standing_query_matches m
      where m.tenant_id = extend_status_standing_queries.tenant_id
        and m.collection_id = extend_status_standing_queries.collection_id));
end
$$;

comment on function braid_store.extend_status_standing_queries(int, int) is
  'Count the standing queries of a tenant in a collection, and the matches that the session may read and '
  'nobody has acknowledged.';
