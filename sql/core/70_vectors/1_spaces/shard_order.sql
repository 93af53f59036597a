create or replace function braid_store.shard_order(
  storage text,
  index_type text,
  dimensions int,
  distance text,
  out stored_type text,
  out indexed text,
  out operator_class text,
  out sort_key text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_class text := case shard_order.distance when 'cosine' then 'cosine' when 'inner_product' then 'ip' else 'l2' end;
begin
  stored_type := format('@vector@.%s(%s)', case storage when 'halfvec' then 'halfvec' else 'vector' end, dimensions);
  if storage = 'binary' then
    indexed := format('(@vector@.binary_quantize(embedding)::bit(%s))', dimensions);
    operator_class := '@vector@.bit_hamming_ops';
  elsif index_type <> storage then
    indexed := format('(embedding::@vector@.%s(%s))', index_type, dimensions);
    operator_class := format('@vector@.%s_%s_ops', index_type, v_class);
  else
    indexed := 'embedding';
    operator_class := format('@vector@.%s_%s_ops', storage, v_class);
  end if;
  sort_key := braid_store.shard_sort_key(storage, index_type, dimensions, distance);
end
$$;

comment on function braid_store.shard_order(text, text, int, text) is
  'Return how a vector shard stores vectors (stored_type) and how its HNSW index orders them, as SQL. index_type: '
  'the type of the index; null means the stored type. indexed and operator_class are for creating the index, '
  'sort_key for queries with the query vector as $1. The sort key must match the index expression, or else the index '
  'is not used.';
