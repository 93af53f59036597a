create or replace function braid_store.find_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  query_embedding @vector@.vector,
  legs text,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
  options jsonb,
  out full_text braid_store.candidate[],
  out semantic braid_store.candidate[],
  out semantic_mode text,
  out is_cut boolean,
  out postings_read bigint,
  out chunks_scored int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  c_few constant int := 10000;
  v_full_text_min_score float8 := greatest(case when legs = 'full_text' then min_score end,
                                           (options ->> 'full_text_min_score')::float8);
  v_semantic_min_score float8 := greatest(case when legs in ('semantic', 'prefilter') then min_score end,
                                          (options ->> 'semantic_min_score')::float8);
  v_query braid_store.text_query := query;
  v_filter braid_store.filter := filter;
  v_demands braid_store.text_query;
  v_matches bigint[];
begin
  full_text := '{}';
  semantic := '{}';
  if query.conditions <> '{}' then
    v_demands := braid_store.demands_of(tenant_id, collection.id, query);
    if coalesce(v_demands.posting_count > c_few, true) then
      -- Of words that are common but hardly ever so together, a leg would look at every chunk before it has enough.
      v_matches := braid_store.rare_matches(tenant_id, collection, v_demands, c_few);
      if v_matches is not null then
        v_query.conditions := '{}';
        v_filter := braid_store.filter_chunks(filter, v_matches);
      end if;
    end if;
  end if;

  -- A leg of weight 0 decides nothing, and need not be searched.
  if legs in ('full_text', 'prefilter') or legs = 'hybrid' and collection.full_text_weight > 0 then
    select f.candidates, f.is_cut, f.postings_read, f.chunks_scored into full_text, is_cut, postings_read, chunks_scored
    from braid_store.full_text_candidates(tenant_id, collection, v_query, v_filter, v_full_text_min_score,
                                          candidate_count) f;
  end if;
  if legs = 'prefilter' then
    semantic := braid_store.nearest_of(tenant_id, collection, query_embedding, full_text, v_semantic_min_score);
    semantic_mode := 'prefiltered';
  elsif legs = 'hybrid' and collection.semantic_weight > 0 and collection.full_text_weight > 0
        and cardinality(full_text) < candidate_count and v_full_text_min_score is null
        and braid_store.finds_every_match(collection, query) then
    -- There are no others that have what is demanded.
    semantic := braid_store.nearest_of(tenant_id, collection, query_embedding, full_text, v_semantic_min_score);
    semantic_mode := 'exact_filtered';
  elsif legs = 'semantic' or legs = 'hybrid' and collection.semantic_weight > 0 then
    if v_demands.posting_count <= c_few then
      v_filter := braid_store.filter_chunks(filter, braid_store.chunks_with(tenant_id, collection, v_demands));
    elsif v_query.conditions <> '{}' then
      v_filter := braid_store.narrow_filter(filter, braid_store.demand_filter(tenant_id, query));
    end if;
    select n.candidates, n.mode into semantic, semantic_mode
    from braid_store.semantic_candidates(
           tenant_id, collection, query_embedding, v_filter, v_semantic_min_score, candidate_count,
           coalesce((options ->> 'exact')::boolean, false), (options ->> 'ef_search')::float8::int) n;
  end if;
end
$$;

comment on function braid_store.find_candidates(int, braid_store.collections, braid_store.text_query, @vector@.vector, text,
                                                braid_store.filter, float8, int, jsonb) is
  'What the legs of a search find: full_text or semantic alone, both (hybrid), or full_text of which semantic puts all in '
  'order (prefilter). min_score is that of a leg alone. is_cut: not all that full text might have found was scored.';
