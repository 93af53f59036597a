create or replace function braid_store.plan_page(inout request braid_store.search_request, fingerprint text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_most constant int := 100000;
  v_options braid_store.search_options := request.options;
  v_page record;
begin
  v_page := braid_store.open_page(v_options.cursor, fingerprint);
  request.fingerprint := fingerprint;
  request.rows_before := v_page.place;
  -- If no score depends on the number of candidates, pages continue beyond the candidates of the first page.
  request.has_deep_pages := request.legs <> 'prefilter' and request.boosts = '{}' and v_options.rank_by is null
                            and request.parts is null
                            and (request.collection).neighbour_weight = 0 and (request.collection).document_weight = 0
                            and v_options.smoothing = 0
                            and v_options.group_score = 'max'
                            and (request.legs <> 'hybrid'
                                 or braid_store.is_absolute((request.collection).fusion,
                                                            v_options.full_text_normalisation,
                                                            v_options.semantic_normalisation,
                                                            v_options.sparse_normalisation));
  if request.has_deep_pages then
    request.may_grow := true;
    request.most_candidates := greatest(
      case when v_options.collapse_similarity is null then c_most else request.most_candidates end,
      request.candidate_count);
    request.candidate_count := least(greatest(request.candidate_count + v_page.place, v_page.candidate_count),
                                     request.most_candidates);
  else
    request.may_grow := request.may_grow and v_page.candidate_count is null;
    request.candidate_count := coalesce(v_page.candidate_count, request.candidate_count);
  end if;
end
$$;

comment on function braid_store.plan_page(braid_store.search_request, text) is
  'Change the request of a search with the option cursor: adapt candidate_count and most_candidates so that the '
  'candidates of each leg reach beyond the previous pages. Raise 22023 for a cursor that was made for a query with '
  'another fingerprint.';
