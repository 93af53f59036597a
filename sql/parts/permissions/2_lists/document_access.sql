-- role: writer
-- example: braid.document_access(external_id => 'doc1', collection => 'small')
-- page: guide/permissions.md
create or replace function braid.document_access(external_id text, collection text default 'default')
returns text[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_access(document_access.external_id, document_access.collection);
$$;

comment on function braid.document_access(text, text) is
  E'Return the users and groups that may read a document; null if everyone in the tenant may.\n'
  'external_id: the document. An empty array means that nobody may but services, administrators and superusers. Raise '
  '42704 for a document that does not exist, or that the session may not read. For writers.';
