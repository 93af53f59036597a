-- role: reader
-- example: braid.list_documents(collection => 'small')
-- page: guide/documents.md#read
create or replace function braid.list_documents(
  collection text default 'default',
  match_count int default 100,
  after text default null,
  filters jsonb default null
)
returns table (
  document_id bigint,
  external_id text,
  title text,
  source_uri text,
  metadata jsonb,
  occurred_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  chunk_count bigint
)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.page_documents(list_documents.collection, list_documents.match_count, list_documents.after,
                                           list_documents.filters);
$$;

comment on function braid.list_documents(text, int, text, jsonb) is
  E'List the tenant''s documents of a collection, without their text, in the order of external_id (compared by its '
  'bytes).\n'
  'match_count: how many rows a page has, 1 to 10000. after: null, the default, gives the first page; for the next '
  'page, give the external_id of the last row. filters: the conditions, as in searches; a document is listed if one '
  'of its chunks meets them.';
