create or replace function braid_store.chunks_with(
  tenant_id int,
  collection braid_store.collections,
  conditions braid_store.query_condition[]
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_query braid_store.text_query;
  v_segments record;
  v_gathered record;
begin
  -- As a query that ranks by nothing: weights are 0, and so is every bound.
  v_query.lexemes := '{}';
  v_query.weights := '{}';
  v_query.term_numbers := '{}';
  v_query.word_numbers := '{}';
  v_query.required_words := 0;
  v_query.conditions := array(
    select row(1, false, c.is_prefix, c.lexemes, c.offsets)::braid_store.query_condition
    from unnest(chunks_with.conditions) c);
  v_query := braid_store.choose_driver(chunks_with.tenant_id, chunks_with.collection.id, v_query);
  v_segments := braid_store.segment_scales(chunks_with.tenant_id, chunks_with.collection, 1);
  v_gathered := braid_store.gather_candidates(
    chunks_with.tenant_id, chunks_with.collection.id, v_query, v_segments.segment_ids, v_segments.scales, null, null, -1,
    'infinity');
  return braid_store.matching_chunks(
    chunks_with.tenant_id, chunks_with.collection,
    braid_store.live_chunks(chunks_with.tenant_id, chunks_with.collection.id, v_segments.segment_ids,
                            coalesce(v_gathered.places, '{}'), 'true'),
    v_query);
end
$$;

comment on function braid_store.chunks_with(int, braid_store.collections, braid_store.query_condition[]) is
  'The live chunks for which one of the conditions, of words or phrases, holds.';
