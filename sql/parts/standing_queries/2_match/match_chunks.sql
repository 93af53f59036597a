create or replace function braid_store.match_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  change text
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_row record;
  v_query braid_store.standing_queries;
  v_is_filtered boolean;
  v_filter braid_store.filter;
  v_filters jsonb;
  v_passing bigint[]; -- the chunks that pass v_filters
  v_found bigint[];
  v_query_ids bigint[] := '{}';
  v_kinds text[] := '{}';
  v_chunk_ids bigint[] := '{}';
begin
  if not exists (
    select from braid_store.standing_queries q
    where q.tenant_id = match_chunks.tenant_id and q.collection_id = match_chunks.collection.id
  ) then
    return;
  end if;
  for v_row in
    select f.kind, f.found_ids, f.are_sure, q.query
    from (
      select 'full_text' as kind, c.query_id, c.found_ids, c.are_sure
      from braid_store.candidate_queries(match_chunks.tenant_id, match_chunks.collection, match_chunks.chunk_ids) c
      where match_chunks.change <> 'vectors'
      union all
      select 'semantic', n.query_id, n.found_ids, false
      from braid_store.near_queries(match_chunks.tenant_id, match_chunks.collection, match_chunks.chunk_ids) n
    ) f,
    lateral (
      select q as query from braid_store.standing_queries q
      where q.tenant_id = match_chunks.tenant_id and q.collection_id = match_chunks.collection.id
        and q.id between f.query_id and f.query_id
      order by q.id
      offset 0
    ) q
    -- Queries with equal filters follow each other, so each filter is tested once.
    order by (q.query).filters, (q.query).id
  loop
    v_query := v_row.query;
    continue when match_chunks.change = 'metadata' and v_query.filters is null;
    v_found := v_row.found_ids;
    -- In a collection with settings of parts, parts may narrow a search that has no filter.
    v_is_filtered := v_query.filters is not null or collection.parts is not null;
    if v_is_filtered or not v_row.are_sure and v_query.query_text <> '' then
      begin
        if v_is_filtered then
          if v_filters is distinct from coalesce(v_query.filters, '{}') then
            v_filter := braid_store.compile_filter(coalesce(v_query.filters, '{}'), tenant_id, collection.id);
            v_passing := case when v_filter.is_empty then match_chunks.chunk_ids
                              else braid_store.filtered_among(match_chunks.chunk_ids, tenant_id, v_filter) end;
            v_filters := coalesce(v_query.filters, '{}');
          end if;
          v_found := array(select u.id from unnest(v_found) with ordinality u (id, place)
                           where u.id = any (v_passing) order by u.place);
        end if;
        if v_found <> '{}' and not v_row.are_sure and v_query.query_text <> '' then
          v_found := braid_store.verified_chunks(tenant_id, collection, v_query, v_row.kind, v_found);
        end if;
      exception
        when transaction_rollback or insufficient_resources or operator_intervention then
          raise;
        when others then
          -- A query that was valid when it was stored must not cost a later write.
          raise log 'standing query % was not matched: %', v_query.id, sqlerrm;
          v_filters := null;
          continue;
      end;
    end if;
    v_query_ids := v_query_ids || array_fill(v_query.id, array[cardinality(v_found)]);
    v_kinds := v_kinds || array_fill(v_row.kind, array[cardinality(v_found)]);
    v_chunk_ids := v_chunk_ids || v_found;
  end loop;
  if v_query_ids <> '{}' then
    perform braid_store.store_matches(tenant_id, collection.id, v_query_ids, v_kinds, v_chunk_ids);
  end if;
end
$$;

comment on function braid_store.match_chunks(int, braid_store.collections, bigint[], text) is
  'Match chunks with the standing queries of their tenant and collection, and store the matches. change: written for '
  'new chunks; vectors for chunks whose vectors were stored now; metadata for other attributes, which are matched '
  'with queries that have filters.';
