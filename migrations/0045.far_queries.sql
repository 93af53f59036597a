-- Answers of a vector index that lie farther from the query than usual are looked at again, and how long an index takes is
-- measured before it is first made.
-- depends: 0044.unnamed_relations

alter table braid_store.vector_shards
    add column far_distance float8,
    add column far_ef_search int check (far_ef_search between 1 and 1000),
    add column seconds_needed int check (seconds_needed > 0);
alter table braid_store.vector_shards
    alter column far_distance set statistics 0,
    alter column far_ef_search set statistics 0,
    alter column seconds_needed set statistics 0;
comment on column braid_store.vector_shards.far_distance is
    'How far the tenth nearest of an answer of the index may be, for the answer to be as good as was measured; of inner products, '
    'divided by the length of the query. Answers beyond are looked for again. Null: not measured.';
comment on column braid_store.vector_shards.far_ef_search is
    'hnsw.ef_search for searches whose answer is beyond far_distance; null: these compare all vectors.';
comment on column braid_store.vector_shards.seconds_needed is
    'While its index waits for a call of maintain() with enough time: what time_budget it needs, about. Null: it does not wait.';
-- What maintenance still has to measure.
create index vector_shards_unmeasured on braid_store.vector_shards (tenant_id)
where state = 'serving' and ef_search is not null and far_distance is null;
alter type braid_store.serving_shard add attribute far_distance float8;
alter type braid_store.serving_shard add attribute far_ef_search int;

alter table braid_store.upkeep_rates
    alter column postings_per_second drop not null,
    alter column postings_per_second drop default,
    alter column index_work_per_second drop not null,
    alter column index_work_per_second drop default;
update braid_store.upkeep_rates r
set postings_per_second = nullif(r.postings_per_second, 200000),
    index_work_per_second = nullif(r.index_work_per_second, 4000)
where r.only_row;
comment on table braid_store.upkeep_rates is
    'One row: how fast this server merges postings and makes vector indexes, as maintenance last measured it; null before it has. '
    'By it, maintenance begins what it cannot interrupt only if its time suffices.';
