create or replace function braid_store.choose_widths(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  curve jsonb,
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
  v_far record;
begin
  select c.* into ef_search, ef_search_100, ef_search_fused, index_recall
  from braid_store.choose_ef_search(choose_widths.curve, choose_widths.margin) c;
  v_far := braid_store.measure_far(
    shard, space,
    case when ef_search is not null then array[ef_search_fused]
         else array(select w from unnest('{100,250,640}'::int[]) w where w <= greatest(100,
           shard.vector_count / 4)) end,
    own_queries);
  far_distance := v_far.far_distance;
  far_ef_search := v_far.far_ef_search;
  if ef_search is null and v_far.ef_search is not null then
    -- The vectors form tight clusters without paths between them. A large distance reveals bad answers, which are then
    -- searched again more widely.
    ef_search := v_far.ef_search;
    ef_search_fused := v_far.ef_search;
    index_recall := v_far.index_recall;
  end if;
end
$$;

comment on function braid_store.choose_widths(braid_store.vector_shards, braid_store.vector_spaces, jsonb, float8,
                                              @vector@.vector[]) is
  'Combine the results of choose_ef_search and measure_far into the widths for a shard''s HNSW index. An index that '
  'finds less than 97 % at any width is still used if a large distance reveals its bad answers. index_recall then '
  'counts only the other answers.';
