create or replace function braid_store.diversify_candidates(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  scores float8[],
  lambda float8,
  wanted_count int
)
returns int[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_vectors constant @vector@.vector[] := braid_store.candidate_vectors(tenant_id, collection, chunk_ids);
  c_least constant float8 := (select min(s) from unnest(scores) s);
  c_range constant float8 := (select nullif(max(s) - c_least, 0) from unnest(scores) s);
  -- The entry is null for a chunk that is already chosen.
  v_relevance float8[] := array(
    select coalesce((u.score - c_least) / c_range, 1)
    from unnest(scores) with ordinality u (score, place) order by u.place);
  -- For each candidate, its greatest similarity to a chosen chunk.
  v_similarity float8[] := array_fill(null::float8, array[cardinality(chunk_ids)]);
  v_picked int[] := '{}';
  v_best int;
begin
  while cardinality(v_picked) < least(wanted_count, cardinality(chunk_ids)) loop
    select u.place into v_best
    from unnest(v_relevance, v_similarity) with ordinality u (relevance, similarity, place)
    where u.relevance is not null
    order by lambda * u.relevance - (1 - lambda) * coalesce(u.similarity, 0) desc, u.place
    limit 1;
    exit when not found;
    v_picked := v_picked || v_best;
    v_relevance[v_best] := null;
    if c_vectors[v_best] is not null then
      v_similarity := array(
        select case when u.relevance is not null
                    then greatest(u.similarity,
                                  nullif(1 - (c_vectors[u.place] operator(@vector@.<=>) c_vectors[v_best]), 'NaN')) end
        from unnest(v_relevance, v_similarity) with ordinality u (relevance, similarity, place) order by u.place);
    end if;
  end loop;
  return v_picked;
end
$$;

comment on function braid_store.diversify_candidates(int, braid_store.collections, bigint[], float8[], float8, int) is
  'Choose wanted_count chunks that are good and unlike each other, by maximal marginal relevance (Carbonell & '
  'Goldstein 1998), and return their places. The next choice is the chunk with the highest lambda × score - (1 - '
  'lambda) × greatest cosine with a chosen chunk. Scores are first scaled to 0..1; at a tie the better score wins. A '
  'chunk without a vector counts as unlike all others.';
