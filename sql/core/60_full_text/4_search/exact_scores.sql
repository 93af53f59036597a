create or replace function braid_store.exact_scores(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  query braid_store.text_query
)
returns float8[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Chunks are given once, so remembering their scores only takes time.
set enable_memoize = off
as $$
declare
  v_b float8 := coalesce(exact_scores.collection.b, braid_store.adaptive_b(exact_scores.query.average_length));
  v_keys bigint[] := braid_store.query_keys(exact_scores.query);
  v_scores float8[];
  v_unkeyed_ids bigint[]; -- chunks whose forward rows have no terms
  v_unkeyed_places int[];
  v_unkeyed_scores float8[];
begin
  if v_keys is null then
    return braid_store.general_scores(exact_scores.tenant_id, exact_scores.collection, exact_scores.chunk_ids,
                                      exact_scores.query);
  end if;
  -- score_candidates has the same formula, and so may other statements that have chunk ids: the lateral subquery f
  -- gives the score of one chunk. Scores are summed in the order of the lexemes, as in general_scores, so that both
  -- give the same score to the last bit. The greatest element of terms up to the key's highest frequency is either the
  -- lexeme's, and its distance from the key is the frequency, or it is below the key.
  select array_agg(f.score order by u.place), array_agg(u.chunk_id order by u.place) filter (where not f.is_keyed),
         array_agg(u.place order by u.place) filter (where not f.is_keyed)
  into v_scores, v_unkeyed_ids, v_unkeyed_places
  from unnest(exact_scores.chunk_ids) with ordinality u (chunk_id, place)
  left join lateral (
    select f.terms is not null as is_keyed, (
             select sum(t.weight * t.frequency / (t.frequency + f.saturation))
             from (
               select q.weight,
                      greatest(f.terms[width_bucket(q.key | braid_store.max_frequency(), f.terms)] - q.key, 0)
                      + (exact_scores.collection.title_weight - 1)
                        * greatest(f.title_terms[width_bucket(q.key | braid_store.max_frequency(), f.title_terms)]
                                   - q.key, 0)
                        as frequency
               from unnest(v_keys, exact_scores.query.weights) q (key, weight)
               offset 0
             ) t
             where t.frequency > 0
           ) as score
    from (
      select f.terms, f.title_terms,
             exact_scores.collection.k1
             * (1 - v_b + v_b * (f.body_length + exact_scores.collection.title_weight * f.title_length)
                                / exact_scores.query.average_length) as saturation
      from braid_store.forward_rows f
      where f.tenant_id = exact_scores.tenant_id and f.chunk_id = u.chunk_id
      offset 0
    ) f
  ) f on true;
  if v_unkeyed_ids is not null then
    v_unkeyed_scores := braid_store.general_scores(exact_scores.tenant_id, exact_scores.collection, v_unkeyed_ids,
                                                   exact_scores.query);
    for v_number in 1..cardinality(v_unkeyed_ids) loop
      v_scores[v_unkeyed_places[v_number]] := v_unkeyed_scores[v_number];
    end loop;
  end if;
  return coalesce(v_scores, '{}');
end
$$;

comment on function braid_store.exact_scores(int, braid_store.collections, bigint[], braid_store.text_query) is
  'Return the exact BM25 scores of chunks, computed from their forward rows, in the order of chunk_ids; null for a '
  'chunk with none of the query''s lexemes.';
