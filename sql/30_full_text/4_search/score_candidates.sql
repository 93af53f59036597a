create or replace function braid_store.score_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  segment_ids bigint[],
  places bigint[],
  place_bounds float8[],
  filter braid_store.filter,
  candidate_count int,
  most_scored int,
  inout chunk_ids bigint[],
  inout scores float8[],
  inout threshold float8
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  v_has_demands boolean := query.conditions <> '{}' or query.required_words > 1;
  v_floor float8 := threshold;
  v_next int := 1;
  v_before int := cardinality(chunk_ids);
  -- Where those before were not enough, few match.
  v_end int := greatest(candidate_count + candidate_count / 8 + 2,
                        case when v_before < candidate_count and v_before > 0 then cardinality(places) / 3 end);
  v_batch_ids bigint[];
begin
  if scores <> '{}' then
    threshold := greatest(v_floor, (
      select s from unnest(scores) s where s is not null order by s desc offset candidate_count - 1 limit 1));
  end if;
  while v_next <= cardinality(places) and place_bounds[v_next] >= threshold
        and coalesce(cardinality(chunk_ids) < most_scored, true) loop
    if v_next > 1 and cardinality(chunk_ids) < candidate_count then
      -- As many as bring enough, if as many of them match as of those before.
      v_end := v_end + least(
        1.2 * (candidate_count - cardinality(chunk_ids) + 2) * v_end / greatest(cardinality(chunk_ids) - v_before, 1),
        4 * v_end);
    elsif v_next > 1 then
      -- No more than can still matter.
      v_end := v_end + least(greatest(v_end, 64),
                             greatest(1, (select count(*) from unnest(place_bounds[v_next : v_next + 2 * v_end]) b
                                          where b >= threshold)));
    end if;
    v_end := least(v_end, cardinality(places));
    v_batch_ids := braid_store.live_chunks(tenant_id, collection.id, segment_ids, places[v_next : v_end], filter);
    if v_has_demands then
      v_batch_ids := braid_store.matching_chunks(tenant_id, collection, v_batch_ids, query);
    end if;
    chunk_ids := chunk_ids || v_batch_ids;
    scores := scores || braid_store.exact_scores(tenant_id, collection, v_batch_ids, query);
    threshold := greatest(v_floor, (
      select s from unnest(scores) s where s is not null order by s desc offset candidate_count - 1 limit 1));
    v_next := v_end + 1;
  end loop;
end
$$;

comment on function braid_store.score_candidates(int, braid_store.collections, braid_store.text_query, bigint[], bigint[],
                                                 float8[], braid_store.filter, int, int, bigint[], float8[],
                                                 float8) is
  'Scores candidates, highest bound first, until candidate_count scores are as high as the next bound: those that live, '
  'pass the filter and have what the query demands; or until there are most_scored. Adds to what was scored before; '
  'threshold is the score at that rank.';
