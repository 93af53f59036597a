-- role: reader, definer
create or replace function braid_calls.arrange_chunks(
  chunk_ids bigint[],
  scores float8[],
  match_count int,
  collection text,
  options jsonb
)
returns setof braid_store.search_result
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_request braid_store.search_request;
  v_places int[];
begin
  v_request.tenant_id := braid_store.require_tenant_id();
  perform braid_store.check_search_arguments(match_count, null, null, null, null, null);
  v_options := braid_store.read_search_options(options);
  v_collection := braid_store.find_collection(collection);
  -- Chunks may be deleted while a reranker works, and are then left out. A paged list must be complete, because all
  -- pages must come from the same list.
  v_places := braid_store.find_scored_chunks(v_request.tenant_id, v_collection, chunk_ids, scores,
    v_options.cursor is not null);
  perform braid_store.refuse_other_options('chunks that are already scored', options, '{arrangement,snippet}',
            'Give options that find or score chunks to the search that found the chunks.');
  v_request.collection := v_collection;
  v_request.options := v_options;
  v_request.match_count := match_count;
  v_request.candidate_count := cardinality(v_places);
  if v_options.cursor is not null then
    v_request.fingerprint := braid_store.query_fingerprint(array[
      v_request.tenant_id::text, v_collection.id::text, chunk_ids::text, scores::text, (options - 'cursor')::text]);
    v_request.rows_before := (braid_store.open_page(v_options.cursor, v_request.fingerprint)).place;
  end if;

  return query
  select r.*
  from unnest(braid_store.arranged_rows(v_request, braid_store.arrange_candidates(
         v_request,
         array(
           select row(u.chunk_id, u.score, null, null, null, null, null, null, null, null, null, null, null, null)
                    ::braid_store.fused_candidate
           from unnest(chunk_ids, scores) with ordinality u (chunk_id, score, place)
           join unnest(v_places) p (place) on p.place = u.place
           order by u.score desc, u.place)), null)) r;
end
$$;

comment on function braid_calls.arrange_chunks(bigint[], float8[], int, text, jsonb) is
  'Do the work of braid.arrange_results, for the tenant of the session.';
