create or replace function braid_store.average_length(
  tenant_id int,
  collection braid_store.collections,
  new_chunk_count bigint default 0,
  new_length float8 default 0
)
returns float8
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(nullif((s.body_length + average_length.collection.title_weight * s.title_length
                            + average_length.new_length)
                           / nullif(s.chunk_count + average_length.new_chunk_count, 0), 0), 1)
    from braid_store.index_statistics(average_length.tenant_id, average_length.collection.id) s);
end
$$;

comment on function braid_store.average_length(int, braid_store.collections, bigint, float8) is
  'Return the average length in tokens that BM25 uses for a tenant''s chunks: the length of the body plus '
  'title_weight times the length of the title. new_chunk_count and new_length (weighted in the same way) add chunks '
  'that no segment holds yet. The result is 1 if there are no chunks or the average would be 0, so that callers can '
  'divide by it.';
