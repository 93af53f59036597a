create or replace function braid_store.arranged_rows(
  request braid_store.search_request,
  arrangement braid_store.arrangement,
  candidates braid_store.fused_candidate[]
)
returns braid_store.search_result[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_options braid_store.search_options := request.options;
  v_rows braid_store.search_result[];
begin
  if cardinality(request.boosts) > 0 then
    arrangement.arranged := braid_store.report_boosts(
      request.tenant_id, arrangement.arranged,
      array(select c from unnest(candidates) c
            where request.legs <> 'hybrid' or request.min_score is null or c.score >= request.min_score
                  or c.chunk_id in (select a.chunk_id from unnest(arrangement.arranged) a)),
      request.boosts);
  end if;
  v_rows := braid_store.result_rows(request.tenant_id, arrangement.arranged);
  if v_options.context then
    v_rows := braid_store.add_passages(request.tenant_id, v_rows, arrangement.passages);
  end if;
  if v_options.snippet then
    v_rows := braid_store.add_snippets(request, v_rows);
  end if;
  if arrangement.has_more and arrangement.last_unit is not null then
    v_rows[cardinality(v_rows)].cursor := braid_store.write_cursor(
      request.fingerprint, request.rows_before + request.match_count - arrangement.missing_count,
        request.candidate_count,
      v_rows[arrangement.last_unit]);
  end if;
  return v_rows;
end
$$;

comment on function braid_store.arranged_rows(braid_store.search_request, braid_store.arrangement,
                                              braid_store.fused_candidate[]) is
  'Make the rows of a search from its arranged candidates. If the options ask for them, add passages, snippets and '
  'the cursor of the next page. candidates: all fused candidates, which tell what boosts did; null without boosts.';
