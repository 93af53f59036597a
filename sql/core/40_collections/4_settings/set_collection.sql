-- role: administrator
-- example: braid.set_collection(collection => 'small', settings => '{"overlap_tokens": 4}')
-- page: guide/collections.md
create or replace function braid.set_collection(collection text, settings jsonb)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_collection(collection, settings);
$$;

comment on function braid.set_collection(text, jsonb) is
  E'Change settings of a collection, for all tenants.\n'
  'settings: an object, such as {"overlap_tokens": 20}; settings that are not given stay. overlap_tokens: the most '
  'tokens of a chunk that the next chunk repeats, 0 to half of chunk_tokens; null takes a tenth of a chunk. It holds '
  'from the next write on. default_occurred_at: now gives documents without occurred_at the time at which they are '
  'first written, for memories that are written as things happen; null gives no time. It holds from the next write '
  'on. vector_storage: the type in which large tenants'' vectors are stored: vector, halfvec or binary. With vector, '
  'up to 2000 dimensions are possible, and the index holds halfvec where it can. With halfvec, up to 4000 are '
  'possible, and vectors take half the space, too. hnsw_m, hnsw_ef_construction: the parameters that pgvector uses '
  'for HNSW indexes.\n'
  'maintain() makes new vector shards while the old ones go on serving searches. Numbers that halfvec has rounded '
  'stay rounded. To change how a collection ranks, use set_ranking. Only administrators may call it.';
