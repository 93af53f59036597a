create or replace function braid_store.explain_document(
  tenant_id int,
  collection braid_store.collections,
  external_id text,
  query braid_store.text_query,
  query_embedding @vector@.vector,
  filters jsonb,
  options jsonb,
  min_score float8,
  candidate_count int,
  fused braid_store.fused_candidate[],
  ranked braid_store.fused_candidate[],
  results braid.search_result[]
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
#variable_conflict use_variable
declare
  c_max_chunks constant int := 1000;
  c_explained_chunks constant int := 10;
  v_document_id bigint;
  v_chunk_ids bigint[];
  v_chunk record;
  v_chunks jsonb := '[]';
begin
  select d.id into v_document_id
  from braid_store.documents d
  where d.tenant_id = explain_document.tenant_id and d.collection_id = explain_document.collection.id
    and d.external_id = explain_document.external_id;
  if not found then
    return jsonb_build_object(
      'external_id', external_id, 'outcome', 'absent', 'chunks', v_chunks,
      'reason', format('There is no document "%s" in collection "%s".', left(external_id, 255), collection.name));
  end if;

  v_chunk_ids := array(
    select c.id from braid_store.chunks c
    where c.tenant_id = explain_document.tenant_id and c.document_id = v_document_id
    order by c.chunk_index
    limit c_max_chunks);
  for v_chunk in
    select b.chunk_id, f.place as fused_place, r.place as ranked_place, a.ordinality as result_place,
           b.score as full_text_score, n.score as semantic_score
    from unnest(v_chunk_ids, braid_store.exact_scores(tenant_id, collection, v_chunk_ids, query))
           with ordinality b (chunk_id, score, place)
    left join braid_store.candidate_places(fused) f on f.chunk_id = b.chunk_id
    left join braid_store.candidate_places(ranked) r on r.chunk_id = b.chunk_id
    left join unnest(results) with ordinality a (chunk_id) on a.chunk_id = b.chunk_id
    left join braid_store.similarities(tenant_id, collection, query_embedding, v_chunk_ids) n on n.chunk_id = b.chunk_id
    order by a.ordinality, r.place, f.place, b.score desc nulls last, n.score desc nulls last, b.place
    limit c_explained_chunks
  loop
    v_chunks := v_chunks || jsonb_build_array(braid_store.explain_outcome(
      tenant_id, collection, query, query_embedding, filters, options, min_score, candidate_count, v_chunk.chunk_id,
      v_chunk.full_text_score, v_chunk.semantic_score, fused, v_chunk.fused_place, ranked, v_chunk.ranked_place,
      results, v_chunk.result_place::int));
  end loop;
  return jsonb_build_object(
    'external_id', external_id, 'outcome', coalesce(v_chunks #>> '{0,outcome}', 'no_match'),
    'reason', coalesce(v_chunks #>> '{0,reason}', 'It has no text.'), 'chunks', v_chunks);
end
$$;

comment on function braid_store.explain_document(int, braid_store.collections, text, braid_store.text_query, @vector@.vector,
                                                 jsonb, jsonb, float8, int, braid_store.fused_candidate[],
                                                 braid_store.fused_candidate[], braid.search_result[]) is
  'What became of a document in a search: of its 10 best chunks (among its first 1000), and of the best of these.';
