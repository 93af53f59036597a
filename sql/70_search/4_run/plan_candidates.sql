create or replace function braid_store.plan_candidates(
  inout request braid_store.search_request,
  candidate_count int,
  fingerprint text
)
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
  -- How far the number of candidates grows by itself. Without this limit, a search for 10 groups where there are two
  -- speakers would rank all chunks.
  c_most_grown constant int := 10000;
  c_most_compared constant int := 2000;
  v_options braid_store.search_options := request.options;
  v_page record;
  v_first_count int;
begin
  v_first_count := case
    when request.legs = 'prefilter' then greatest(coalesce(candidate_count, 100), request.match_count)
    -- One leg in its own order needs no more candidates than rows.
    when request.legs <> 'hybrid' and not v_options.is_rearranged then request.match_count
    else coalesce(candidate_count, greatest(100, 4 * request.match_count)) end;
  request.is_listed := false;
  request.rows_before := 0;
  request.candidate_count := v_first_count;
  request.may_grow := request.legs <> 'prefilter' and candidate_count is null;
  request.most_candidates := case when v_options.diversify or v_options.collapse_similarity is not null then c_most_compared
                                  else c_most_grown end;
  if v_options.cursor is null then
    return;
  end if;

  v_page := braid_store.open_page(v_options.cursor, fingerprint);
  request.fingerprint := fingerprint;
  request.rows_before := v_page.place;
  -- If no score depends on how many candidates there are, pages go on beyond the candidates of the first page.
  request.is_listed := request.legs <> 'prefilter' and request.boosts = '{}' and v_options.group_score = 'max'
                       and (request.legs <> 'hybrid'
                            or braid_store.is_absolute((request.collection).fusion, v_options.full_text_normalisation,
                                                       v_options.semantic_normalisation));
  if request.is_listed then
    request.may_grow := true;
    request.most_candidates := greatest(
      case when v_options.collapse_similarity is null then c_most else c_most_compared end, v_first_count);
    request.candidate_count := least(greatest(v_first_count + v_page.place, v_page.candidate_count),
                                     request.most_candidates);
  else
    request.may_grow := request.may_grow and v_page.candidate_count is null;
    request.candidate_count := coalesce(v_page.candidate_count, v_first_count);
  end if;
end
$$;

comment on function braid_store.plan_candidates(braid_store.search_request, int, text) is
  'Fills in how many candidates each leg is first asked for, and up to how many it may be asked for if too few rows '
  'are left. For a page after the first, it asks for enough to get past the pages before it. candidate_count: the '
  'argument of the search; null chooses. Raises 22023 for a cursor that was made for a query with another '
  'fingerprint.';
