-- What was last measured of the index of a vector shard.
-- depends: 0028.synced_partitions

alter table braid_store.vector_shards
    add column measurement jsonb;
alter table braid_store.vector_shards
    alter column measurement set statistics 0;
comment on column braid_store.vector_shards.measurement is
    'The recall of its index as last measured, when it was made or by braid.measure_recall. Null: made by an earlier version, '
    'and not measured since.';
