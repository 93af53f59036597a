create or replace function braid.export_tenant(
  collection text default null,
  after text default null,
  document_count int default null
)
returns setof jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.export_records(export_tenant.collection, export_tenant.after, export_tenant.document_count);
$$;

comment on function braid.export_tenant(text, text, int) is
  'All that the session''s tenant stored, without loss: a JSON object for each collection that it uses, then one for each '
  'document with its chunks and their embeddings. import_tenant takes them, in the same order. In the select list of a '
  'query, behind a cursor, it streams. In pages: give a collection, document_count, and as after the external_id that the '
  'page before ended with.';
