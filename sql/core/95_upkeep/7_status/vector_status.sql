create or replace function braid_store.vector_status(tenant_id int, collection_id int, vector_space_id int)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    -- Every search scans these vectors exactly. With a shard, they are the vectors written since.
    'scanned', (select count(*) from braid_store.chunk_vectors v
                where v.tenant_id = vector_status.tenant_id and v.collection_id = vector_status.collection_id
                  and v.vector_space_id = vector_status.vector_space_id),
    'shards', coalesce(
      (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                'id', s.id, 'state', s.state, 'vectors', s.vector_count, 'storage', s.storage,
                'index_type', s.index_type, 'hnsw_m', s.hnsw_m, 'hnsw_ef_construction', s.hnsw_ef_construction,
                  'ef_search', s.ef_search,
                'index_recall', round(s.index_recall::numeric, 4),
                'far_distance', case when s.far_distance < 'infinity' and s.far_distance > '-infinity'
                  then s.far_distance end,
                'far_ef_search', s.far_ef_search, 'seconds_needed', s.seconds_needed,
                -- Asking for the size of a shard that is being dropped would wait for the drop.
                'bytes', case when s.state <> 'retired'
                              then pg_total_relation_size(to_regclass(format('braid_store.vectors_%s', s.id))) end,
                'since', coalesce(s.served_at, s.created_at),
                -- The model is named only for a shard of the other model in a model change.
                'embedding_model', (select p.embedding_model from braid_store.vector_spaces p
                                    where p.id = s.vector_space_id and p.id <> vector_status.vector_space_id)))
                                      order by s.id)
       from braid_store.vector_shards s
       where s.tenant_id = vector_status.tenant_id and s.collection_id = vector_status.collection_id), '[]'));
$$;

comment on function braid_store.vector_status(int, int, int) is
  'Return how many vectors of a tenant''s part of a collection are scanned, and its vector shards. vectors: how far '
  'a shard is copied, or how many it has. state: whether its index is being made (see '
  'pg_stat_progress_create_index). seconds_needed: the time budget of maintain() for which the index waits. '
  'index_recall: the recall@10 measured when the index was made.';
