create or replace function braid_store.copied_metadata(external_id text, metadata jsonb, chunk_count bigint)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- check_sizes applies the same limit, in bytes, to the metadata of a whole batch.
  c_max_copied_metadata constant bigint := 200000000;
  c_size constant bigint := pg_column_size(copied_metadata.metadata) * copied_metadata.chunk_count;
begin
  if c_size > c_max_copied_metadata then
    raise exception 'metadata, once for each chunk, of document "%" has % bytes, more than %',
                    left(copied_metadata.external_id, 100), c_size, c_max_copied_metadata
      using errcode = '54000', hint = 'Put long values into content, or store them elsewhere.';
  end if;
  return copied_metadata.metadata;
end
$$;

comment on function braid_store.copied_metadata(text, jsonb, bigint) is
  'Return the metadata of a document that has chunk_count chunks. Raise 54000 if the copies in its chunks would take '
  'too much space.';
