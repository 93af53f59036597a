-- role: writer
-- standby: no
-- example: braid.export_tenant()
-- page: guide/move-tenant.md
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
  select braid_calls.export_records(export_tenant.collection, export_tenant.after, export_tenant.document_count);
$$;

comment on function braid.export_tenant(text, text, int) is
  E'Return all that the session''s tenant stored, without loss, as JSON objects: one for each collection that it '
  'uses, one for each document with its chunks and embeddings, one for each profile, one for each query set, one '
  'for each of its queries, with its judgments, and one for each ranking model.\n'
  'import_tenant takes them in the same order. By default it exports everything; called in the select list of a '
  'query and read through a cursor, it streams. Give collection and document_count to export a collection page by '
  'page, without profiles, query sets and ranking models. collection: the collection. after: the external_id that '
  'the page before ended with; null for the first page. document_count: how many documents a page has.';
