create or replace function braid_store.score_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  searched braid_store.searched_segments,
  gathered braid_store.bounded_places,
  among bigint[],
  among_ids bigint[],
  filter braid_store.filter,
  candidate_count int,
  min_threshold float8,
  max_scored int,
  scored braid_store.scored_chunks,
  keys bigint[]
)
returns braid_store.scored_chunks
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- The share of chunks that pass the filter comes from a sample, which cannot estimate a smaller share.
  c_min_share constant float8 := 1 / 64.0;
  v_scored braid_store.scored_chunks := score_candidates.scored;
  v_has_demands boolean := cardinality(query.conditions) > 0 or query.required_words > 1;
  v_place_count int := cardinality(gathered.places);
  v_count_before int := cardinality(scored.chunk_ids);
  -- A batch is the places from v_first to v_last. If earlier passes found some chunks but too few, matches are rare,
  -- and the first batch is larger. Without bounds, all places are one batch.
  v_first int := 1;
  v_last int := least(v_place_count, case
    when gathered.bounds[1] = 'infinity' and max_scored is null then v_place_count
    else greatest((candidate_count + candidate_count / 8 + 2) / greatest(coalesce(filter.share, 1), c_min_share),
                  case when v_count_before < candidate_count and v_count_before > 0 then v_place_count / 3 end) end);
  v_batch_ids bigint[];
  v_batch_scores float8[];
  v_unkeyed_ids bigint[];
  -- Most searches have no filter and no demands. Then one statement finds the live chunks and scores them.
  v_keys bigint[] := case when collection.id > 0 and score_candidates.among is null and filter.is_empty
                               and not v_has_demands
                          then coalesce(keys, braid_store.query_keys(query)) end;
  v_b float8 := coalesce(collection.b, braid_store.adaptive_b(query.average_length));
  -- Without deletions there are no tombstones to look up, as in live_chunks.
  v_has_deletions boolean := query.has_deletions is not false;
begin
  -- Bounds are in descending order: once a bound is below the threshold, no later place can matter.
  while v_first <= v_place_count and gathered.bounds[v_first] >= v_scored.threshold
        and coalesce(cardinality(v_scored.chunk_ids) < max_scored, true) loop
    if v_first > 1 then
      v_last := least(v_place_count, v_last + case
        when cardinality(v_scored.chunk_ids) < candidate_count
        -- Add the number of places needed if they match as often as the earlier places of this pass.
        then least(1.2 * (candidate_count - cardinality(v_scored.chunk_ids) + 2) * v_last
                     / greatest(cardinality(v_scored.chunk_ids) - v_count_before, 1),
                   4 * v_last)
        -- Add at most the number of places whose bounds reach the threshold.
        else least(greatest(v_last, 64),
                   greatest(1, (select count(*) from unnest(gathered.bounds[v_first : v_first + 2 * v_last]) b
                                where b >= v_scored.threshold))) end);
    end if;

    if v_keys is not null then
      -- The formula is the same as in exact_scores.
      select array_agg(f.chunk_id) filter (where f.is_keyed), array_agg(f.score) filter (where f.is_keyed),
             array_agg(f.chunk_id) filter (where not f.is_keyed)
      into v_batch_ids, v_batch_scores, v_unkeyed_ids
      from (
        select u.place >> braid_store.chunk_number_bits() as segment_number,
               (u.place & braid_store.max_chunk_number()::bigint)::int as chunk_number
        from unnest(gathered.places[v_first : v_last]) u (place)
        offset 0
      ) u,
      lateral (
        select coalesce(searched.first_chunk_ids[u.segment_number] + u.chunk_number - 1, (
                 select sc.chunk_id from braid_store.segment_chunks sc
                 where sc.tenant_id = score_candidates.tenant_id and sc.collection_id = collection.id
                   and sc.segment_id = searched.segment_ids[u.segment_number]
                   and sc.chunk_number between u.chunk_number and u.chunk_number
                 order by sc.chunk_number
                 limit 1)) as chunk_id
        offset 0
      ) sc,
      lateral (
        select f.chunk_id, f.terms is not null as is_keyed, (
                 select sum(t.weight * t.frequency / (t.frequency + f.saturation))
                 from (
                   select q.weight,
                          greatest(f.terms[width_bucket(q.key | braid_store.max_frequency(), f.terms)] - q.key, 0)
                          + (collection.title_weight - 1)
                            * greatest(f.title_terms[width_bucket(q.key | braid_store.max_frequency(), f.title_terms)]
                                       - q.key, 0)
                            as frequency
                   from unnest(v_keys, query.weights) q (key, weight)
                   offset 0
                 ) t
                 where t.frequency > 0
               ) as score
        from (
          select f.chunk_id, f.terms, f.title_terms,
                 collection.k1 * (1 - v_b + v_b * (f.body_length + collection.title_weight * f.title_length)
                                            / query.average_length) as saturation
          from braid_store.forward_rows f
          where f.tenant_id = score_candidates.tenant_id and f.chunk_id between sc.chunk_id and sc.chunk_id
          order by f.chunk_id
          offset 0
        ) f
      ) f
      where not v_has_deletions or not exists (
        select from braid_store.tombstones t
        where t.tenant_id = score_candidates.tenant_id and t.collection_id = collection.id
          and t.chunk_id = f.chunk_id
        offset 0);
      if v_unkeyed_ids is not null then
        v_batch_ids := v_batch_ids || v_unkeyed_ids;
        v_batch_scores := v_batch_scores
                          || braid_store.general_scores(tenant_id, collection, v_unkeyed_ids, query);
      end if;
    else
      if score_candidates.among is null then
        v_batch_ids := braid_store.live_chunks(tenant_id, collection.id, searched, gathered.places[v_first : v_last],
                                               filter);
      else
        v_batch_ids := array(select score_candidates.among_ids[width_bucket(u.place, score_candidates.among)]
                             from unnest(gathered.places[v_first : v_last]) u (place));
        if not filter.is_empty then
          v_batch_ids := braid_store.filtered_among(v_batch_ids, tenant_id, filter);
        end if;
      end if;
      if v_has_demands then
        v_batch_ids := braid_store.demanded_chunks(tenant_id, collection, v_batch_ids, query);
      end if;
      if collection.id < 0 then
        -- A chunk may have several places in the index of sparse terms, but is scored once.
        v_batch_ids := array(select unnest(v_batch_ids) except select unnest(v_scored.chunk_ids));
        v_batch_scores := braid_store.exact_sparse_scores(tenant_id, -collection.id, v_batch_ids, query);
      else
        v_batch_scores := braid_store.exact_scores(tenant_id, collection, v_batch_ids, query);
      end if;
    end if;
    v_scored := row(
      v_scored.chunk_ids || v_batch_ids, v_scored.scores || v_batch_scores,
      greatest(min_threshold, (
        select s from unnest(v_scored.scores || v_batch_scores) s where s is not null
        order by s desc
        offset score_candidates.candidate_count - 1 limit 1)));
    v_first := v_last + 1;
  end loop;
  return v_scored;
end
$$;

comment on function braid_store.score_candidates(int, braid_store.collections, braid_store.text_query,
                                                 braid_store.searched_segments, braid_store.bounded_places, bigint[],
                                                 bigint[], braid_store.filter, int, float8, int,
                                                 braid_store.scored_chunks, bigint[]) is
  'Compute the exact scores of gathered places, highest bound first, and add them to the scores of earlier passes. '
  'Only live chunks that pass the filter and meet the query''s demands get scores. Scoring ends when candidate_count '
  'scores are as high as the next bound, or when max_scored chunks have scores (null: no limit). In the result, '
  'threshold is the score at rank candidate_count, or min_threshold if that is higher. among: the only places that '
  'were gathered from, ascending; null: all. among_ids: the chunks at these places, which are live if the filter is '
  'empty. keys: as in full_text_candidates.';
