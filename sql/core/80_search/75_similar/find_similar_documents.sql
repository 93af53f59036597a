-- role: reader
create or replace function braid_calls.find_similar_documents(
  external_id text,
  match_count int,
  filters jsonb,
  collection text,
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
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_document_id bigint;
  v_distance text;
  v_embedding @vector@.vector;
  v_options braid_store.search_options;
  v_request braid_store.search_request;
  v_found braid_store.found_candidates;
  v_candidates braid_store.ranked_candidates;
  v_arrangement braid_store.arrangement;
begin
  perform braid_store.check_search_arguments(match_count, null, null, null, null, min_score);
  v_options := braid_store.read_search_options(options);
  perform braid_store.refuse_other_options(
    'similar_documents', options, '{vectors,snippet}',
    'Leave this option out: similar_documents returns one row for each document. Groups and passages are options of '
    'similar_chunks and of searches.');
  v_collection := braid_store.find_collection(collection);
  select d.id into v_document_id
  from braid_store.documents d
  where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
    and d.external_id = find_similar_documents.external_id
    and (v_collection.parts is null or braid_store.extend_hidden_document(d, v_collection) is not true);
  if not found then
    raise exception 'document % does not exist in collection "%"',
                    coalesce('"' || left(find_similar_documents.external_id, 255) || '"', 'null'), v_collection.name
      using errcode = '42704', hint = coalesce(braid_store.extend_missing_document(v_collection.id, external_id),
                                               'Give the external_id with which the document was written, and its '
                                               'collection.');
  end if;

  select s.distance into strict v_distance from braid_store.vector_spaces s where s.id = v_collection.vector_space_id;
  -- Under cosine all chunks have equal weight, whatever the length of their vectors.
  select @vector@.avg(case v_distance when 'cosine' then @vector@.l2_normalize(v.embedding) else v.embedding end
                      order by v.chunk_id)
  into v_embedding
  from braid_store.stored_embeddings(v_tenant_id, v_collection, array(
         select c.id from braid_store.chunks c where c.tenant_id = v_tenant_id and c.document_id = v_document_id)) v;
  if v_embedding is null then
    raise exception 'document "%" has no embedding yet', left(find_similar_documents.external_id, 255)
      using errcode = '22023',
            hint = 'Embed the waiting chunks with the client''s embed_pending() or with braid.claim_embedding_jobs, '
                   'then call again.';
  elsif v_distance = 'cosine' and @vector@.vector_norm(v_embedding) = 0 then
    raise exception 'the vectors of document "%" cancel each other out', left(find_similar_documents.external_id, 255)
      using errcode = '22023', hint = 'Call similar_chunks with one of its chunks.';
  end if;

  v_request := braid_store.vector_request(v_tenant_id, v_collection, v_options, min_score, filters,
                                          format('c.document_id <> %s', v_document_id));
  v_request.query_embedding := v_embedding;
  v_request.match_count := match_count;
  v_request.candidate_count := 4 * match_count;
  loop
    v_found := braid_store.find_candidates(v_request);
    -- The filter's result is kept for the next round, if more candidates are needed.
    v_request.filter := v_found.filter;
    v_candidates := braid_store.rank_found(v_request, v_found, false);
    v_found.semantic := array(
      select row(f.chunk_id, f.score, row_number() over (order by f.semantic_rank))::braid_store.candidate
      from (
        select distinct on (c.document_id) r.*
        from unnest(v_candidates.ranked) r,
             lateral (
               select c.document_id from braid_store.chunks c
               where c.tenant_id = v_tenant_id and c.id between r.chunk_id and r.chunk_id
               order by c.id
               offset 0
             ) c
        order by c.document_id, r.semantic_rank
      ) f
      order by f.semantic_rank
      limit match_count);
    v_arrangement.arranged := braid_store.unfused_candidates('semantic', v_found);
    -- Candidates come best first, so the first match_count documents among them are the best of all.
    exit when cardinality(v_arrangement.arranged) = match_count or not v_candidates.has_more;
    v_request.candidate_count := least(v_request.candidate_count::bigint * 8, 2147483647);
  end loop;
  return query select r.* from unnest(braid_store.arranged_rows(v_request, v_arrangement, null)) r;
end
$$;

comment on function braid_calls.find_similar_documents(text, int, jsonb, text, float8, jsonb) is
  'Do the work of braid.similar_documents, for the tenant of the session.';
