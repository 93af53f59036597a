-- Of equal vectors one stands in the HNSW index of a shard for all. Shards that are there keep their index over all rows until
-- they are made anew.
-- depends: 0012.filter_candidates

alter table braid_store.vector_shards add column duplicate_count bigint;
comment on column braid_store.vector_shards.duplicate_count is
    'How many of the vectors are left out of the index because an equal one is in it, at most; null if the shard is older '
    'than this column.';
alter table braid_store.vector_shards alter column duplicate_count set statistics 0;
alter type braid_store.serving_shard add attribute duplicate_count bigint;

do $$
declare
  v_shard regclass;
begin
  for v_shard in
    select c.oid::regclass from pg_catalog.pg_class c
    where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and c.relname ~ '^vectors_[0-9]+$'
  loop
    execute format('alter table %s add column embedding_hash bigint, '
                   'add column is_duplicate boolean not null default false', v_shard);
    execute format('alter table %s alter column embedding_hash set statistics 0, '
                   'alter column is_duplicate set statistics 0', v_shard);
  end loop;
end
$$;
