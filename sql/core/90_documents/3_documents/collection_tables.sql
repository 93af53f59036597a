create or replace function braid_store.collection_tables(is_dropped boolean default false)
returns text[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select array(
      select t.key from braid_store.parts p, jsonb_each(p.manifest -> 'tables') t
      where t.value ->> 'emptied' in ('clear', case when is_dropped then 'drop' end)
      order by p.place, t.key)
    || '{embedding_jobs,centroids,chunk_vectors,sparse_rows,unindexed_sparse_rows,postings_a,postings_b,forward_rows,
         tombstones,segment_chunks,metadata_lists,changed_metadata,segments,chunk_attributes,chunks,documents}'::text[];
$$;

comment on function braid_store.collection_tables(boolean) is
  'List the tables that hold a collection''s rows, in an order in which they can be emptied. Tables of parts, which '
  'manifests name, come first. is_dropped: whether to list the tables that a clear leaves alone, too.';
