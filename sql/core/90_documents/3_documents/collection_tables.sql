create or replace function braid_store.collection_tables()
returns text[]
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select '{embedding_jobs,query_embeddings,daily_part_sizes,centroids,chunk_vectors,token_vectors,sparse_rows,unindexed_sparse_rows,sparse_segment_chunks,sparse_segments,postings,forward_rows,tombstones,segment_chunks,
           metadata_lists,changed_metadata,segments,chunk_attributes,chunks,synced_rows,documents}'::text[];
$$;

comment on function braid_store.collection_tables() is
  'Lists the tables that hold a collection''s rows, in an order in which they can be emptied.';
