-- role: reader
create or replace function braid_calls.find_similar_chunks(
  chunk_id bigint,
  match_count int,
  filters jsonb,
  min_score float8,
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
  c_most_candidates constant int := 100000;
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_request braid_store.search_request;
  v_found braid_store.found_candidates;
  v_candidates braid_store.ranked_candidates;
  v_arrangement braid_store.arrangement;
begin
  perform braid_store.check_search_arguments(match_count, null, null, null, null, min_score);
  v_options := braid_store.read_search_options(options);
  perform braid_store.refuse_other_options('similar_chunks', options, '{vectors,arrangement,snippet}',
                                           'Leave this option out: it belongs to searches by a query.');
  if v_options.cursor is not null then
    raise exception 'similar_chunks has no pages'
      using errcode = '22023', hint = 'Leave out the option cursor, and raise match_count.';
  end if;
  select o.* into v_collection
  from braid_store.chunks c
  join braid_store.collections o on o.id = c.collection_id
  where c.tenant_id = v_tenant_id and c.id = find_similar_chunks.chunk_id
    and (o.parts is null or exists (
      select from braid_store.documents d
      where d.tenant_id = v_tenant_id and d.id = c.document_id
        and braid_store.extend_hidden_document(d, o) is not true));
  if not found then
    raise exception 'chunk % does not exist', coalesce(find_similar_chunks.chunk_id::text, 'null')
      using errcode = '42704',
            hint = 'Take chunk_id from a search''s rows; a document that is written again gets new chunks.';
  end if;

  v_request := braid_store.vector_request(v_tenant_id, v_collection, v_options, min_score, filters,
                                          format('c.id <> %s', find_similar_chunks.chunk_id));
  select e.embedding into v_request.query_embedding
  from braid_store.stored_embeddings(v_tenant_id, v_collection, array[find_similar_chunks.chunk_id]) e;
  if not found then
    raise exception 'chunk % has no embedding yet', find_similar_chunks.chunk_id
      using errcode = '22023',
            hint = 'Embed the waiting chunks with the client''s embed_pending() or with braid.claim_embedding_jobs, '
                   'then call again.';
  end if;

  v_request.match_count := match_count;
  v_request.candidate_count := case when v_options.is_arranged then greatest(100, 4 * match_count) else match_count end;
  loop
    v_found := braid_store.find_candidates(v_request);
    -- The filter's result is kept for the next round, if more candidates are needed.
    v_request.filter := v_found.filter;
    v_candidates := braid_store.rank_found(v_request, v_found, false);
    v_arrangement := braid_store.arrange_candidates(v_request, v_candidates.ranked);
    exit when v_arrangement.missing_count = 0 or not v_candidates.has_more
      or v_request.candidate_count = c_most_candidates;
    v_request.candidate_count := least(v_request.candidate_count * 4, c_most_candidates);
  end loop;
  return query select r.* from unnest(braid_store.arranged_rows(v_request, v_arrangement, null)) r;
end
$$;

comment on function braid_calls.find_similar_chunks(bigint, int, jsonb, float8, jsonb) is
  'Do the work of braid.similar_chunks, for the tenant of the session.';
