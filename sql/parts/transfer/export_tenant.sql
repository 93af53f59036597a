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
  E'Return all data that the session''s tenant stored, without loss, as JSON objects.\n'
  'There is one object for each collection that the tenant uses and one for each document with its chunks and '
  'embeddings. Each profile, query set, query with its judgments, ranking model, standing query, waiting match and '
  'member of a group is one object, too. import_tenant takes the objects in the same order. By default everything is '
  'exported; in the select list of a query that is read through a cursor, it streams. Give collection and '
  'document_count to export a collection page by page, without the other objects.\n'
  'collection: the collection to export. after: the last external_id of the page before; null gives the first page. '
  'document_count: the number of documents per page.';
