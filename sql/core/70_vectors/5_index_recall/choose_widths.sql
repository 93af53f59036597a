create or replace function braid_store.choose_widths(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  curve braid_store.recall_curve,
  margin float8,
  own_queries @vector@.vector[],
  out ef_search int,
  out ef_search_100 int,
  out ef_search_fused int,
  out index_recall float8,
  out far_distance float8,
  out far_ef_search int
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_equal record := braid_store.choose_ef_search(curve, margin);
  v_narrow record;
  v_widths int[];
  v_distances float8[];
  v_far record;
begin
  select n.* into v_narrow from braid_store.choose_narrow(choose_widths.curve, choose_widths.margin) n;
  v_widths := case when v_equal.ef_search is not null then array[v_equal.ef_search_fused]
                   else array(select w from unnest('{100,250,640}'::int[]) w
                              where w <= greatest(100, shard.vector_count / 4)) end;
  v_distances := array_fill('infinity'::float8, array[cardinality(v_widths)]);
  if v_narrow.ef_search_fused < v_widths[cardinality(v_widths)] then
    v_widths := v_narrow.ef_search_fused || v_widths;
    v_distances := v_narrow.far_distance || v_distances;
  end if;
  v_far := braid_store.measure_far(shard, space, v_widths, v_distances, own_queries);
  far_distance := v_far.far_distance;
  far_ef_search := v_far.far_ef_search;
  ef_search := v_equal.ef_search;
  ef_search_100 := v_equal.ef_search_100;
  ef_search_fused := v_equal.ef_search_fused;
  index_recall := v_equal.index_recall;
  if v_far.place = 1 and cardinality(v_widths) > 1 and v_distances[1] < 'infinity' then
    ef_search := v_narrow.ef_search;
    ef_search_100 := v_narrow.ef_search_100;
    ef_search_fused := v_narrow.ef_search_fused;
    index_recall := v_narrow.index_recall;
  elsif ef_search is null and v_far.place is not null then
    -- The vectors form tight clusters without paths between them. A large distance reveals bad answers, which are then
    -- searched again more widely.
    ef_search := v_widths[v_far.place];
    ef_search_fused := ef_search;
    index_recall := v_far.index_recall;
  end if;
end
$$;

comment on function braid_store.choose_widths(braid_store.vector_shards, braid_store.vector_spaces,
                                              braid_store.recall_curve, float8, @vector@.vector[]) is
  'Choose the widths for a shard''s HNSW index. far_distance is the distance beyond which an answer is searched '
  'again. If that costs less than one width for all searches, the first search is narrow. An index that finds less '
  'than 97 % at any width is still used if a large distance reveals its bad answers. index_recall then counts only '
  'the other answers.';
