create or replace function braid_store.explain_document(
  request braid_store.search_request,
  candidates braid_store.ranked_candidates,
  results braid_store.search_result[],
  external_id text
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_max_chunks constant int := 1000;
  c_explained_chunks constant int := 10;
  v_tenant_id int := request.tenant_id;
  v_collection braid_store.collections := request.collection;
  v_document_id bigint;
  v_chunk_ids bigint[];
  v_sparse_scores float8[];
  v_chunk braid_store.examined_chunk;
  v_chunks jsonb := '[]';
begin
  select d.id into v_document_id
  from braid_store.documents d
  where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
    and d.external_id = explain_document.external_id
    and (v_collection.parts is null or braid_store.extend_hidden_document(d, v_collection) is not true);
  if not found then
    return jsonb_build_object(
      'external_id', external_id, 'outcome', 'absent', 'chunks', v_chunks,
      'reason', concat_ws(' ', format('There is no document "%s" in collection "%s".', left(external_id, 255),
        v_collection.name),
                          braid_store.extend_missing_document(v_collection.id, external_id)));
  end if;

  v_chunk_ids := array(
    select c.id from braid_store.chunks c
    where c.tenant_id = v_tenant_id and c.document_id = v_document_id
    order by c.chunk_index
    limit c_max_chunks);
  if (request.sparse).terms is not null then
    v_sparse_scores := braid_store.exact_sparse_scores(v_tenant_id, v_collection.id, v_chunk_ids, request.sparse);
  end if;
  for v_chunk in
    select b.chunk_id, b.score, n.score, f.place, r.place, a.ordinality, b.sparse_score
    from unnest(v_chunk_ids, braid_store.exact_scores(v_tenant_id, v_collection, v_chunk_ids, request.query),
      v_sparse_scores)
           with ordinality b (chunk_id, score, sparse_score, place)
    left join braid_store.candidate_places(candidates.fused) f on f.chunk_id = b.chunk_id
    left join braid_store.candidate_places(candidates.ranked) r on r.chunk_id = b.chunk_id
    left join unnest(results) with ordinality a (chunk_id) on a.chunk_id = b.chunk_id
    left join braid_store.similarities(v_tenant_id, v_collection, request.query_embedding, v_chunk_ids) n
      on n.chunk_id = b.chunk_id
    order by a.ordinality, r.place, f.place, b.score desc nulls last, n.score desc nulls last,
      b.sparse_score desc nulls last, b.place
    limit c_explained_chunks
  loop
    v_chunks := v_chunks || jsonb_build_array(braid_store.explain_outcome(request, candidates, results, v_chunk));
  end loop;
  return jsonb_build_object(
    'external_id', external_id, 'outcome', coalesce(v_chunks #>> '{0,outcome}', 'no_match'),
    'reason', coalesce(v_chunks #>> '{0,reason}', 'It has no text.'), 'chunks', v_chunks);
end
$$;

comment on function braid_store.explain_document(braid_store.search_request, braid_store.ranked_candidates,
                                                 braid_store.search_result[], text) is
  'Explain what became of a document in a search, as JSON: an outcome and a reason for the document and for its 10 '
  'best chunks. The document has the outcome and reason of its best chunk. Only the first 1000 chunks of a longer '
  'document are considered.';
