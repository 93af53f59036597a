create or replace function braid_store.arrange_candidates(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns braid_store.arrangement
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- Comparing this many pairs of vectors takes some seconds; more are refused.
  c_most_pairs constant bigint := 20000000;
  -- The first attempt arranges only this many candidates for each row.
  c_first constant int := 4;
  v_tenant_id int := request.tenant_id;
  v_collection braid_store.collections := request.collection;
  v_match_count int := request.match_count;
  v_options braid_store.search_options := request.options;
  v_is_grouped boolean := v_options.group_by is not null;
  v_is_paged boolean := v_options.cursor is not null;
  v_count int := cardinality(candidates);
  v_most_kept int;
  -- The candidates that remain, best first: their places among all candidates, and in parallel their chunks and scores.
  v_places int[];
  v_chunk_ids bigint[];
  v_scores float8[];
  -- match_count counts units: groups, or single chunks if there is no grouping. Both arrays are parallel to v_places:
  -- the number of the candidate's unit, from 1, and the unit's score.
  v_units int[];
  v_unit_scores float8[];
  -- For each unit in order: where it begins in v_places, its best chunk and its score.
  v_firsts int[];
  v_first_ids bigint[];
  v_first_scores float8[];
  v_units_before int := 0;
  v_diverse_count int := v_match_count;
  -- The units that are shown, and the indexes of their chunks in v_places.
  v_shown int[];
  v_kept int[];
  v_last_unit int;
  v_merged record;
  v_grouped record;
  v_arrangement braid_store.arrangement;
begin
  if not v_options.is_arranged then
    v_arrangement.arranged := candidates[:v_match_count];
    v_arrangement.missing_count := v_match_count - cardinality(v_arrangement.arranged);
    return v_arrangement;
  end if;

  -- The option collapse only leaves out rows, so match_count remaining candidates are enough.
  v_most_kept := case when v_is_grouped or v_options.diversify or v_options.context or v_is_paged then v_count
                      else v_match_count end;
  if v_options.diversify and v_match_count::bigint * v_count > c_most_pairs
     or v_options.collapse_similarity is not null and least(v_most_kept, v_count / 2)::bigint * v_count > c_most_pairs
       then
    raise exception 'option % would compare % candidates with each other, for % rows',
                    case when v_options.collapse_similarity is null then 'diversify' else 'collapse' end, v_count,
                      v_match_count
      using errcode = '22023',
            hint = 'Lower match_count or candidate_count. To merge equal texts only, use "collapse": true, which '
                   'compares no vectors.';
  end if;

  -- The best candidates are usually enough. If each group shows only its best chunk and groups are ordered by it, worse
  -- candidates change nothing once there are match_count rows.
  if v_count > c_first * v_match_count::bigint and not v_options.diversify and not v_is_paged
     and (not v_is_grouped or v_options.group_size = 1 and v_options.group_score = 'max') then
    v_arrangement := braid_store.arrange_candidates(request, candidates[:c_first * v_match_count]);
    if v_arrangement.missing_count <= 0 then
      return v_arrangement;
    end if;
    v_arrangement := null;
  end if;

  -- Collapse: the best of several chunks with the same content stays.
  v_places := array(select generate_series(1, v_count));
  select coalesce(array_agg(c.chunk_id order by c.ordinality), '{}'), coalesce(array_agg(c.score order by c.ordinality),
    '{}')
  into v_chunk_ids, v_scores
  from unnest(candidates) with ordinality c;
  if v_options.collapse then
    v_places := braid_store.collapse_candidates(v_tenant_id, v_collection, v_chunk_ids, v_options.collapse_similarity,
                                                v_most_kept);
    v_chunk_ids := braid_store.pick(v_chunk_ids, v_places);
    v_scores := braid_store.pick(v_scores, v_places);
  end if;

  -- Group: from here on, the chunks of a unit stand together.
  if v_is_grouped then
    v_grouped := braid_store.group_candidates(v_tenant_id, v_chunk_ids, v_scores, v_options.group_by,
      v_options.group_size,
                                              v_options.group_score);
    v_places := braid_store.pick(v_places, v_grouped.places);
    v_chunk_ids := braid_store.pick(v_chunk_ids, v_grouped.places);
    v_units := v_grouped.units;
    v_unit_scores := v_grouped.unit_scores;
  else
    v_units := array(select generate_series(1, cardinality(v_places)));
    v_unit_scores := v_scores;
  end if;
  v_firsts := array(select min(u.number) from unnest(v_units) with ordinality u (unit, number) group by u.unit
    order by 1);
  v_first_ids := braid_store.pick(v_chunk_ids, v_firsts);
  v_first_scores := braid_store.pick(v_unit_scores, v_firsts);
  if v_is_paged then
    v_units_before := braid_store.units_before_page(v_tenant_id, v_first_ids, v_first_scores, v_options.cursor);
  end if;

  -- Choose units, and make passages of their chunks. Joining passages makes room for more, so more units may have to be
  -- chosen.
  loop
    if v_options.diversify then
      v_shown := braid_store.diversify_candidates(v_tenant_id, v_collection, v_first_ids, v_first_scores,
                                                  v_options.diversify_lambda, v_diverse_count);
    elsif v_options.context and not v_is_grouped and not v_is_paged then
      v_shown := array(select generate_series(1, cardinality(v_firsts)));
    else
      v_shown := array(select generate_series(v_units_before + 1,
                                              least(v_units_before + v_match_count, cardinality(v_firsts))));
    end if;
    v_kept := array(
      select r.number
      from unnest(v_shown) with ordinality s (unit, place),
           generate_series(v_firsts[s.unit], coalesce(v_firsts[s.unit + 1] - 1, cardinality(v_units))) r (number)
      order by s.place, r.number);
    exit when not v_options.context;

    v_merged := braid_store.merge_passages(
      v_tenant_id, braid_store.pick(v_chunk_ids, v_kept), case when v_is_grouped then braid_store.pick(v_units,
        v_kept) end,
      v_options.context_before, v_options.context_after, case when not v_is_grouped then v_match_count end,
      -- The passages of a page are not joined, because a joined passage could reach into another page.
      not v_is_paged or v_is_grouped);
    v_kept := braid_store.pick(v_kept, v_merged.places);
    v_arrangement.passages := v_merged.passages;
    exit when v_is_grouped or not v_options.diversify or cardinality(v_kept) = v_match_count
              or v_diverse_count >= cardinality(v_firsts)
              or v_diverse_count::bigint * 2 * cardinality(v_firsts) > c_most_pairs;
    v_diverse_count := least(v_diverse_count::bigint * 2, cardinality(v_firsts));
  end loop;

  v_arrangement.arranged := braid_store.pick(candidates, braid_store.pick(v_places, v_kept));
  v_arrangement.missing_count := v_match_count - cardinality(v_kept);
  if v_is_grouped then
    v_arrangement.missing_count := v_match_count - cardinality(v_shown);
    for v_number in 1..cardinality(v_kept) loop
      v_arrangement.arranged[v_number].group_score := v_unit_scores[v_kept[v_number]];
    end loop;
  end if;
  if v_is_paged then
    v_last_unit := v_firsts[v_shown[cardinality(v_shown)]];
    v_arrangement.has_more := v_units_before + v_match_count < cardinality(v_firsts);
    v_arrangement.last_unit := array_position(v_kept, v_last_unit);
    v_arrangement.last_score := v_unit_scores[v_last_unit];
  end if;
  return v_arrangement;
end
$$;

comment on function braid_store.arrange_candidates(braid_store.search_request, braid_store.fused_candidate[]) is
  'Choose and order the candidates to show. candidates come best first. The options collapse, group and diversify '
  'them, join passages and select a page. match_count limits the number of rows or groups; there are fewer if no '
  'more are left.';
