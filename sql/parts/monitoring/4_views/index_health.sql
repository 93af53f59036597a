-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.index_health
with (security_invoker = true)
as
select h.* from braid_store.list_index_health() h;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.index_health
for each row execute function braid_store.refuse_view_change('braid.maintain');

comment on view braid.index_health is
  'The state of the full-text index and of the vector indexes: a row for each tenant''s part of a collection and each '
  'vector shard that searches read; where there is none, vectors are compared one by one, and the columns from shard '
  'on are null. Only administrators, services and monitors may call it.';
comment on column braid.index_health.tenant is 'The key of the tenant.';
comment on column braid.index_health.collection is 'The collection.';
comment on column braid.index_health.segment_count is
  'Of how many segments its full-text index consists. maintain() merges them.';
comment on column braid.index_health.chunk_count is 'How many chunks are in it.';
comment on column braid.index_health.dead_chunk_count is 'How many chunks were deleted and are still in a segment.';
comment on column braid.index_health.dead_share is 'Their share of all chunks that segments hold, from 0 to 1.';
comment on column braid.index_health.waiting_chunk_count is 'How many chunks wait for an embedding, of all models.';
comment on column braid.index_health.shard is 'The number of the vector shard.';
comment on column braid.index_health.embedding_model is 'The model of its vectors.';
comment on column braid.index_health.vector_count is 'How many vectors it held when it was made or last added to.';
comment on column braid.index_health.is_indexed is 'Whether it has its index. Without it, all vectors are compared.';
comment on column braid.index_health.ef_search is
  'How widely searches ask the index at least; null: it is not good enough, and all vectors are compared.';
comment on column braid.index_health.index_recall_10 is
  'The share of the 10 nearest that the index finds, from 0 to 1, as last measured.';
comment on column braid.index_health.index_recall_10_error is 'The standard error of that.';
comment on column braid.index_health.index_recall_100 is 'The same of the 100 nearest.';
comment on column braid.index_health.index_recall_100_error is 'The standard error of that.';
comment on column braid.index_health.measured_at is
  'When it was measured: when the index was made, or by measure_index_recall.';
