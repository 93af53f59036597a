-- role: reader
-- example: braid.status()
-- page: guide/install.md
create or replace function braid.status(collection text default null)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_status(status.collection);
$$;

comment on function braid.status(text) is
  E'Return as JSON the installed version and parts, the tenant that the session acts for, and what this tenant has '
  'in each collection, or only in the one named (null, as by default: all).\n'
  'For each: documents, chunks, pending_embeddings (chunks that wait for an embedding), failed_embeddings, segments '
  'and tombstones of the text index, chunks_with_sparse_terms, logged_searches, vectors (how many are scanned, and '
  'the vector shards with their measured index recall), and model_change: its progress, or null. The counts are '
  'exact, so on large collections it takes a while.\n'
  'warnings, for administrators: what of the server''s settings makes searches, writes or maintenance slower, each '
  'with a code and a message that says by how much. bytes, for them, too: the size of all tables and indexes, of all '
  'tenants; vector shards have their own.';
