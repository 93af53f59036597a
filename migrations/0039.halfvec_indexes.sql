-- A vector shard that stores vectors in single precision may have an index over halfvec, which takes half the space.
-- depends: 0038.shard_of_a_search

alter table braid_store.vector_shards add column index_type text check (index_type in ('vector', 'halfvec'));
alter table braid_store.vector_shards alter column index_type set statistics 0;
comment on column braid_store.vector_shards.index_type is
    'Where storage is vector, the type that the HNSW index has: halfvec, or vector if halfvec cannot hold the vectors or cannot '
    'tell them apart. Null: not decided yet, or the index has what is stored (other storage, and shards that are older than '
    'this column).';
alter type braid_store.serving_shard add attribute index_type text;
