create or replace function braid_store.shard_sort_key(
  storage text,
  index_type text,
  dimensions int,
  distance text
)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when storage = 'binary' then
      format('(@vector@.binary_quantize(v.embedding)::bit(%1$s)) operator(@vector@.<~>) '
             '@vector@.binary_quantize($1)::bit(%1$s)', dimensions)
    -- Except for l2, only a query's direction counts. So the query is normalized, because its numbers may exceed the
    -- range of the index type.
    when index_type <> storage then
      format('v.embedding::@vector@.%1$s(%2$s) %3$s %4$s::@vector@.%1$s(%2$s)', index_type, dimensions,
             braid_store.distance_operator(shard_sort_key.distance),
             case shard_sort_key.distance when 'l2' then '$1' else '@vector@.l2_normalize($1)' end)
    else
      format('v.embedding %s $1::@vector@.%s(%s)', braid_store.distance_operator(shard_sort_key.distance),
             case storage when 'halfvec' then 'halfvec' else 'vector' end, dimensions) end;
end
$$;

comment on function braid_store.shard_sort_key(text, text, int, text) is
  'Return the SQL by which a vector shard''s HNSW index orders vectors, with the query vector as $1. index_type: as in '
  'shard_order. The sort key must match the index expression, or else the index is not used.';
