create or replace function braid_store.arrange_chunks(
  chunk_ids bigint[],
  scores float8[],
  match_count int,
  collection text,
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
#variable_conflict use_variable
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_asked record;
  v_page record;
  v_fingerprint text;
  v_arrangement record;
  v_results braid.search_result[];
  v_hint text;
begin
  perform braid_store.check_search_arguments(match_count, null, null, null, null, null),
          braid_store.check_search_options(options);
  v_collection := braid_store.find_collection(collection);
  perform braid_store.check_scored_chunks(v_tenant_id, v_collection, chunk_ids, scores);
  v_asked := braid_store.arrangement_options(options);
  perform braid_store.refuse_other_options(
    'arrange_results', options,
    '{group_by,group_size,group_score,collapse,diversify,context_before,context_after,cursor,snippet}',
    'What finds and scores chunks is an option of the search that they come from.');
  if v_asked.cursor is not null then
    v_fingerprint := braid_store.query_fingerprint(array[
      v_tenant_id::text, v_collection.id::text, chunk_ids::text, scores::text, (options - 'cursor')::text]);
    v_page := braid_store.open_page(v_asked.cursor, v_fingerprint);
  end if;

  v_arrangement := braid_store.arrange_candidates(
    v_tenant_id, v_collection,
    braid_store.order_candidates(v_tenant_id, array(
      select row(u.chunk_id, u.score, null, null, null, null, null, null, null, null, null)::braid_store.fused_candidate
      from unnest(chunk_ids, scores) u (chunk_id, score))),
    match_count, options);
  v_results := braid_store.result_rows(v_tenant_id, v_arrangement.arranged);
  if v_asked.context then
    v_results := braid_store.add_passages(v_tenant_id, v_results, v_arrangement.passages);
  end if;
  if (braid_store.snippet_options(options)).is_asked then
    v_results := braid_store.add_snippets(v_results, v_collection, options, '{}', '{}');
  end if;
  if v_arrangement.has_more and v_arrangement.last_unit is not null then
    v_results[cardinality(v_results)].cursor := braid_store.write_cursor(
      v_fingerprint, v_page.place + match_count - v_arrangement.missing_count, cardinality(chunk_ids),
      v_results[v_arrangement.last_unit]);
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

comment on function braid_store.arrange_chunks(bigint[], float8[], int, text, jsonb) is
  'Does the work of braid.arrange_results, for the tenant of the session.';
