create or replace function braid_store.find_similar_chunks(
  chunk_id bigint,
  match_count int,
  filters jsonb,
  min_score float8,
  options jsonb
)
returns setof braid.search_result
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
  v_embedding @vector@.vector;
  v_asked record;
  v_filter braid_store.filter;
  v_candidate_count int;
  v_ranked braid_store.fused_candidate[];
  v_arrangement record;
  v_results braid.search_result[];
  v_hint text;
begin
  perform braid_store.check_search_arguments(match_count, null, null, null, null, min_score),
          braid_store.check_search_options(options);
  perform braid_store.refuse_other_options(
    'similar_chunks', options,
    '{exact,ef_search,semantic_min_score,snippet,group_by,group_size,group_score,collapse,diversify,context_before,'
    'context_after,cursor}', 'It is an option of searches by a query.');
  v_asked := braid_store.arrangement_options(options);
  if v_asked.cursor is not null then
    raise exception 'similar_chunks has no pages'
      using errcode = '22023', hint = 'Leave out the option cursor, and raise match_count.';
  end if;
  select o.* into v_collection
  from braid_store.chunks c
  join braid_store.collections o on o.id = c.collection_id
  where c.tenant_id = v_tenant_id and c.id = find_similar_chunks.chunk_id;
  if not found then
    raise exception 'chunk % does not exist', coalesce(find_similar_chunks.chunk_id::text, 'null')
      using errcode = '42704',
            hint = 'Take chunk_id from a search''s rows; a document that is written again gets new chunks.';
  end if;

  select e.embedding into v_embedding
  from braid_store.stored_embeddings(v_tenant_id, v_collection, array[find_similar_chunks.chunk_id]) e;
  if not found then
    raise exception 'chunk % has no embedding yet', find_similar_chunks.chunk_id
      using errcode = '22023',
            hint = 'Embed what waits for it, with the client''s embed_pending() or braid.claim_embedding_jobs, and call again.';
  end if;

  v_filter := braid_store.narrow_filter(braid_store.compile_filter(filters, v_tenant_id, v_collection.id),
                                        format('c.id <> %s', find_similar_chunks.chunk_id));
  v_candidate_count := case when v_asked.is_asked then greatest(100, 4 * match_count) else match_count end;
  loop
    v_ranked := braid_store.nearest_candidates(
      v_tenant_id, v_collection, v_embedding,
      v_filter, min_score, v_candidate_count, options);
    v_arrangement := braid_store.arrange_candidates(v_tenant_id, v_collection, v_ranked, match_count, options);
    exit when v_arrangement.missing_count = 0 or cardinality(v_ranked) < v_candidate_count
              or v_candidate_count = 100000;
    v_candidate_count := least(v_candidate_count * 4, 100000);
  end loop;
  v_results := braid_store.result_rows(v_tenant_id, v_arrangement.arranged);
  if v_asked.context then
    v_results := braid_store.add_passages(v_tenant_id, v_results, v_arrangement.passages);
  end if;
  if (braid_store.snippet_options(options)).is_asked then
    v_results := braid_store.add_snippets(v_results, v_collection, options, '{}', '{}');
  end if;
  return query select r.* from unnest(v_results) r;
exception when invalid_parameter_value or undefined_object or program_limit_exceeded or insufficient_privilege then
  -- Raised again from here: behind the hint, psql would show all the functions that it came through.
  get stacked diagnostics v_hint = pg_exception_hint;
  if v_hint = '' then
    raise;
  end if;
  raise exception '%', sqlerrm using errcode = sqlstate, hint = v_hint;
end
$$;

comment on function braid_store.find_similar_chunks(bigint, int, jsonb, float8, jsonb) is
  'Does the work of braid.similar_chunks, for the tenant of the session.';
