create or replace function braid_store.fuse_plain(
  request braid_store.search_request,
  keys bigint[],
  full_text braid_store.candidate[],
  distance text,
  chunk_ids bigint[],
  distances float8[],
  vectors @vector@.vector[],
  near_count int,
  counted int,
  out semantic braid_store.candidate[],
  out fused braid_store.fused_candidate[],
  out fused_vectors @vector@.vector[],
  out missing_count int,
  out live_count int,
  out is_tied boolean
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- The tables have no statistics. Without these settings, the planner would read and sort whole tables for each look-up.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_smoothed constant int := 30; -- spread_candidates smooths as many
  v_tenant_id int := request.tenant_id;
  v_collection braid_store.collections := request.collection;
  v_query braid_store.text_query := request.query;
  v_count int := request.candidate_count;
  v_mean float8 := braid_store.mean_similarity(request.tenant_id, request.collection, distance,
                                               request.query_embedding);
  v_b float8 := coalesce((request.collection).b, braid_store.adaptive_b((request.query).average_length));
  v_has_deletions boolean := (request.query).has_deletions is not false;
  v_near_tied boolean;
  -- Terms of several lexemes have no keys.
  v_scores float8[] := case when fuse_plain.keys is null then
    braid_store.exact_scores(v_tenant_id, v_collection, fuse_plain.chunk_ids[:fuse_plain.near_count], v_query) end;
begin
  -- The arithmetic is the same as in complete_candidates, score_scale and fuse_scores, and so are the sums' orders.
  with measured as materialized (
    select u.chunk_id, u.place,
           case fuse_plain.distance when 'cosine' then 1 - u.distance when 'inner_product' then -u.distance
                           else 1 / (1 + u.distance) end as similarity
    from unnest(fuse_plain.chunk_ids, fuse_plain.distances) with ordinality u (chunk_id, distance, place)
  ), near as materialized (
    select n.chunk_id, n.similarity, n.text_score, n.is_keyed, n.place,
           row_number() over best_first as rank, lag(n.similarity) over best_first = n.similarity as is_tied
    from (
      select m.chunk_id, m.similarity, m.place, f.text_score, f.is_keyed
      from measured m,
           lateral (
             -- This is the score of exact_scores. A chunk without a forward row was deleted.
             select f.terms is not null or v_scores is not null as is_keyed,
                    case when v_scores is not null then v_scores[m.place] else (
                      select sum(t.weight * t.frequency / (t.frequency + f.saturation))
                      from (
                        select q.weight,
                               greatest(f.terms[width_bucket(q.key | braid_store.max_frequency(), f.terms)] - q.key, 0)
                               + (v_collection.title_weight - 1)
                                 * greatest(f.title_terms[width_bucket(q.key | braid_store.max_frequency(),
                                                                       f.title_terms)] - q.key, 0) as frequency
                        from unnest(fuse_plain.keys, v_query.weights) q (key, weight)
                        offset 0
                      ) t
                      where t.frequency > 0
                    ) end as text_score
             from (
               select f.terms, f.title_terms,
                      v_collection.k1
                      * (1 - v_b + v_b * (f.body_length + v_collection.title_weight * f.title_length)
                                         / v_query.average_length) as saturation
               from braid_store.forward_rows f
               where f.tenant_id = v_tenant_id and f.chunk_id = m.chunk_id
               offset 0
             ) f
             where not v_has_deletions or not exists (
               select from braid_store.tombstones t
               where t.tenant_id = v_tenant_id and t.collection_id = v_collection.id and t.chunk_id = m.chunk_id
               offset 0)
           ) f
      where m.place <= fuse_plain.near_count
      offset 0
    ) n
    window best_first as (order by n.similarity desc)
  ), completed as materialized (
    select coalesce(t.chunk_id, n.chunk_id) as chunk_id, coalesce(t.score, n.text_score, 0) as text_score,
           t.rank as text_rank, coalesce(n.similarity, x.similarity) as similarity, n.rank as near_rank,
           coalesce(n.place, x.place) as vector_place
    from unnest(fuse_plain.full_text) t
    full join (select * from near n where n.rank <= v_count) n on n.chunk_id = t.chunk_id
    left join (select * from measured m where m.place > fuse_plain.near_count) x on x.chunk_id = t.chunk_id
  ), extremes as materialized (
    select max(c.text_score) as best_text, max(c.similarity) as best, min(c.similarity) as worst,
           (count(*) - count(c.similarity))::int as missing_count
    from completed c
  ), scales as materialized (
    select e.*, s.shift, e.best - s.shift as scale,
           case when e.best is null then 0
                when s.shift = e.worst and e.best - e.worst <= 1e-9 * greatest(abs(e.worst), abs(e.best)) then 1
           end as constant
    from extremes e,
         lateral (
           select case when e.best - v_mean > 1e-9 * greatest(abs(e.best), abs(v_mean)) then v_mean else e.worst end
                    as shift
           offset 0
         ) s
  ), fused as materialized (
    select f.*, lag(f.score) over best_first = f.score as is_tied, row_number() over best_first as place
    from (
      select c.*, n.full_text, n.semantic,
             v_collection.full_text_weight / (v_collection.full_text_weight + v_collection.semantic_weight)
             * n.full_text
             + v_collection.semantic_weight / (v_collection.full_text_weight + v_collection.semantic_weight)
             * n.semantic + 0::float8 as score
      from completed c, scales s,
           lateral (
             select case when s.best_text > 0 then greatest(c.text_score / s.best_text, 0) else 0 end as full_text,
                    coalesce(s.constant, (coalesce(c.similarity, v_mean) - s.shift) / s.scale) as semantic
             offset 0
           ) n
      offset 0
    ) f
    window best_first as (order by f.score desc)
  )
  select (select coalesce(array_agg(row(n.chunk_id, n.similarity, n.rank)::braid_store.candidate order by n.rank),
                          '{}')
          from near n where n.rank <= v_count),
         (select bool_or(n.is_tied or not n.is_keyed) from near n where n.rank <= v_count + 1),
         (select count(*) from near n where n.place <= fuse_plain.counted),
         coalesce(array_agg(row(f.chunk_id, f.score, f.text_score, f.full_text, f.text_rank, f.similarity, f.semantic,
                                f.near_rank, f.score, null, null, null, null, null)::braid_store.fused_candidate
                            order by f.place), '{}'),
         bool_or(f.is_tied),
         array_agg(fuse_plain.vectors[f.vector_place] order by f.place) filter (where f.place <= c_smoothed),
         (select s.missing_count from scales s)
  into semantic, v_near_tied, live_count, fused, is_tied, fused_vectors, missing_count
  from fused f;
  -- Equal similarities are ordered by external_id, and some chunks need a longer way to their scores. Both are rare.
  if v_near_tied then
    fused := null;
  end if;
end
$$;

comment on function braid_store.fuse_plain(braid_store.search_request, bigint[], braid_store.candidate[], text,
                                           bigint[], float8[], @vector@.vector[], int, int) is
  'Fuse the candidates of full text with the chunks that nearest_plain found, in one statement: each chunk is looked '
  'up once for both scores. keys: what query_keys returns for the query. The scores are the same as from '
  'fuse_scores, to the last bit. fused is null if fuse_scores must fuse this search. fused_vectors: the vectors of '
  'the first 30, which spread_candidates smooths. live_count: how many of the first "counted" chunks exist. '
  'is_tied: whether fused has equal scores, which order_candidates must order.';
