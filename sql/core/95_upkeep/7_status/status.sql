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
  E'Return as JSON the installed version and parts, the session''s tenant, and what this tenant has in each '
  'collection.\n'
  'collection: the collection to show; null, the default, shows all.\n'
  'Counts are exact, so large collections take a while. Each collection has these keys.\n'
  'documents, chunks: how many are stored. pending_embeddings: how many chunks wait for an embedding. '
  'failed_embeddings: how many of them have failed. segments, tombstones: how many the text index has. '
  'chunks_with_sparse_terms: how many chunks have sparse terms. logged_searches: how many searches are logged. '
  'vectors: how many are scanned, and the vector shards with their measured index recall. model_change: how far it '
  'is, or null.\n'
  'Administrators also see two keys about the whole server.\n'
  'warnings: settings of the server that make searches, writes or maintenance slower, each with a code and a message '
  'that says by how much. bytes: the size of all tables and indexes together, for all tenants; each vector shard has '
  'its own size.';
