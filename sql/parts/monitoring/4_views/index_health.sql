-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.index_health
with (security_invoker = true)
as
select h.* from braid_store.list_index_health() h;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.index_health
for each row execute function braid_store.refuse_view_change('braid.maintain');

comment on view braid.index_health is
  'The state of the full-text index and of the vector indexes: one row for each tenant''s part of a collection and '
  'each vector shard that searches read. Without a shard, vectors are compared one by one, and the columns from '
  'shard on are null. Only administrators, services and monitors may read it.';
comment on column braid.index_health.tenant is 'The key of the tenant.';
comment on column braid.index_health.collection is 'The name of the collection.';
comment on column braid.index_health.segment_count is
  'The number of segments of the full-text index. maintain() merges them.';
comment on column braid.index_health.chunk_count is 'The number of chunks in the full-text index.';
comment on column braid.index_health.dead_chunk_count is 'The number of deleted chunks that are still in a segment.';
comment on column braid.index_health.dead_share is
  'The share of deleted chunks among all chunks in segments, from 0 to 1.';
comment on column braid.index_health.waiting_chunk_count is
  'The number of chunks that wait for an embedding of any model.';
comment on column braid.index_health.shard is 'The number of the vector shard.';
comment on column braid.index_health.embedding_model is 'The model of the shard''s vectors.';
comment on column braid.index_health.vector_count is
  'The number of vectors in the shard when it was made or last added to.';
comment on column braid.index_health.is_indexed is
  'Whether the shard has its index. Without it, all vectors are compared.';
comment on column braid.index_health.ef_search is
  'The lowest ef_search with which searches ask the index; null if the index is not good enough, and all vectors are '
  'compared.';
comment on column braid.index_health.index_recall_10 is
  'The share of the 10 nearest vectors that the index finds, from 0 to 1, as last measured.';
comment on column braid.index_health.index_recall_10_error is 'The standard error of index_recall_10.';
comment on column braid.index_health.index_recall_100 is
  'The share of the 100 nearest vectors that the index finds, from 0 to 1, as last measured.';
comment on column braid.index_health.index_recall_100_error is 'The standard error of index_recall_100.';
comment on column braid.index_health.measured_at is
  'The time of the measurement: when the index was made, or by measure_index_recall.';
