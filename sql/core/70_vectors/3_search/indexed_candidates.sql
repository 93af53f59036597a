create or replace function braid_store.indexed_candidates(
  tenant_id int,
  collection braid_store.collections,
  space braid_store.vector_spaces,
  shard braid_store.serving_shard,
  has_written boolean,
  query_embedding @vector@.vector,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
  enough_count int,
  ef_search int
)
returns braid_store.candidate[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_measured braid_store.measured_chunks;
  v_written braid_store.measured_chunks;
  v_max_count int;
  -- If one scan should find enough vectors that pass the filter, a single scan is tried first. Otherwise the index scan
  -- is iterative.
  v_is_iterative boolean := not filter.is_empty and coalesce(filter.share * ef_search < 1.1 * enough_count, true);
  v_places int[];
  v_count int;
  v_last_place int;
  v_far_distance float8 := shard.far_distance
    * case when space.distance = 'inner_product' then nullif(@vector@.vector_norm(query_embedding), 0) else 1 end;
  v_tenth_distance float8;
  v_indexed_count int;
  v_found_count int;
  v_candidates braid_store.candidate[];
begin
  -- A query this long may not fit into halfvec. It lies beyond all vectors of the index, whose lengths are at most
  -- 20000.
  if shard.index_type = 'halfvec' and space.distance = 'l2' and @vector@.vector_norm(query_embedding) > 65504 then
    return null;
  end if;
  if has_written then
    v_written := braid_store.nearest_exact(tenant_id, collection, space.distance, null, true, query_embedding, filter,
                                           candidate_count);
  end if;
  <<widths>>
  loop
    -- Request more than candidate_count vectors if some may not count: vectors overridden in chunk_vectors, or a
    -- deleted chunk's vector that represents duplicates. Also request more if the index orders vectors only roughly:
    -- many more from an index over bits, and a few more from one over halfvec, as query_index_recalls does.
    v_max_count := case
      when has_written or shard.duplicate_count > 0 or shard.storage = 'binary' then greatest(candidate_count,
        ef_search)
      when shard.index_type = 'halfvec' then least(candidate_count + candidate_count / 10 + 10,
        greatest(candidate_count, ef_search))
      else candidate_count end;
    loop
      select n.chunk_ids, n.distances, n.places, n.tenth_distance
      into v_measured.chunk_ids, v_measured.distances, v_places, v_tenth_distance
      from braid_store.nearest_indexed(
             indexed_candidates.tenant_id, indexed_candidates.collection, indexed_candidates.space,
               indexed_candidates.shard,
             indexed_candidates.query_embedding, indexed_candidates.filter, v_max_count, indexed_candidates.ef_search,
             v_is_iterative, indexed_candidates.has_written) n;
      exit when filter.is_empty;
      -- If the last result needed appears three times later than the filter's selectivity predicts, and in the second
      -- half of the scan, fall back to an exact scan. Hardly any vectors near the query then pass the filter, and the
      -- index misses many similar vectors, however long it scans.
      v_count := least(cardinality(v_places), candidate_count);
      v_last_place := case when v_count = candidate_count or v_is_iterative then v_places[v_count] else ef_search end;
      if v_count < filter.share * v_last_place / 3 and v_last_place > ef_search / 2 then
        return null;
      end if;
      exit when v_is_iterative or v_count >= enough_count;
      v_is_iterative := true;
    end loop;
    -- An index without a path to the query's neighbours returns distant vectors as the nearest. Vectors that pass a
    -- filter may be distant only because of the filter, so tenth_distance ignores the filter.
    exit when v_tenth_distance <= v_far_distance or v_far_distance is null or (
      select count(*) filter (where u.distance <= v_far_distance) >= least(10, count(*))
      from unnest(v_measured.distances || v_written.distances) u (distance));
    if shard.far_ef_search is null then
      return null;
    end if;
    exit when shard.far_ef_search <= ef_search;
    ef_search := shard.far_ef_search;
  end loop;
  -- halfvec may not distinguish the vectors of a dense cluster. Then compare the exact distances of all ef_search
  -- vectors that the index search visits. If the cluster has even more vectors, return null, so that the caller scans
  -- all vectors.
  if shard.index_type = 'halfvec'
     and braid_store.halfvec_is_unsure(space.distance, query_embedding, v_measured.distances, candidate_count) then
    if v_max_count < ef_search then
      select n.chunk_ids, n.distances into v_measured.chunk_ids, v_measured.distances
      from braid_store.nearest_indexed(
             indexed_candidates.tenant_id, indexed_candidates.collection, indexed_candidates.space,
               indexed_candidates.shard,
             indexed_candidates.query_embedding, indexed_candidates.filter, indexed_candidates.ef_search,
             indexed_candidates.ef_search, v_is_iterative, indexed_candidates.has_written) n;
    end if;
    if braid_store.halfvec_is_unsure(space.distance, query_embedding, v_measured.distances, candidate_count) then
      return null;
    end if;
  end if;
  v_indexed_count := cardinality(v_measured.chunk_ids);
  if has_written then
    v_measured.chunk_ids := v_measured.chunk_ids || v_written.chunk_ids;
    v_measured.distances := v_measured.distances || v_written.distances;
  end if;
  select r.candidates, r.found_count into v_candidates, v_found_count
  from braid_store.rank_nearest(
         indexed_candidates.tenant_id, indexed_candidates.space.distance, v_measured.chunk_ids, v_measured.distances,
         indexed_candidates.min_score, indexed_candidates.candidate_count, v_indexed_count,
         not (indexed_candidates.filter).is_empty) r;
  -- found_count counts only vectors of the shard. Vectors in chunk_vectors may be new versions of the shard's nearest
  -- vectors, and then the index found too few others.
  return case when v_found_count >= enough_count then v_candidates end;
end
$$;

comment on function braid_store.indexed_candidates(int, braid_store.collections, braid_store.vector_spaces,
                                                   braid_store.serving_shard, boolean, @vector@.vector,
                                                   braid_store.filter, float8, int, int, int) is
  'Find the chunks nearest to a vector among the chunks that pass a filter, by a shard''s HNSW index and, if '
  'has_written, by comparing the newer vectors in chunk_vectors. Return null if the index found fewer than '
  'enough_count, or if it cannot distinguish the nearest vectors. Also return null if the results appear three times '
  'later than the filter''s selectivity predicts. In that case the chunks that pass the filter are far from the '
  'query, or the index holds many vectors of deleted chunks. If the results are farther than far_distance of the '
  'shard, repeat the search with the width that measure_far found necessary; return null if no width was enough.';
