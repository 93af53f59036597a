create or replace function braid_store.verified_chunks(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.standing_queries,
  kind text,
  chunk_ids bigint[]
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.standing_query_collection(collection, query.options);
  v_tokens braid_store.query_token[] := braid_store.standing_query_tokens(v_collection, query.query_text,
                                                                          query.options);
  v_filter braid_store.filter := braid_store.no_filter();
  v_query braid_store.text_query;
begin
  if kind = 'semantic' then
    -- As in a hybrid search, only the demands hold for vectors, too.
    v_query := braid_store.empty_query();
    v_query.conditions := braid_store.query_conditions(v_tokens);
    return braid_store.demanded_chunks(tenant_id, v_collection, chunk_ids, v_query);
  end if;
  v_query := braid_store.compile_query(tenant_id, v_collection, v_tokens, query.match);
  v_filter.among := array(select u.id from unnest(chunk_ids) u (id) order by u.id);
  return array(
    select c.chunk_id
    from unnest((braid_store.full_text_candidates(
      tenant_id, v_collection, v_query, v_filter, null, cardinality(chunk_ids))).candidates) c
    order by c.chunk_id);
end
$$;

comment on function braid_store.verified_chunks(int, braid_store.collections, braid_store.standing_queries, text,
                                                bigint[]) is
  'Return the given chunks that a search finds by a standing query''s text, without its filter. kind: full_text, '
  'or semantic, for which the text''s demands hold alone.';
