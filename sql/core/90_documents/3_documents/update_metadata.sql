-- role: writer
-- example: braid.update_metadata(external_id => 'doc1', metadata => '{}', collection => 'small')
-- page: guide/documents.md#delete
create or replace function braid.update_metadata(
  external_id text,
  metadata jsonb,
  replace boolean default false,
  collection text default 'default'
)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.change_metadata(update_metadata.external_id, update_metadata.metadata, update_metadata.replace,
                                     update_metadata.collection);
$$;

comment on function braid.update_metadata(text, jsonb, boolean, text) is
  E'Merge keys into a document''s metadata: a key whose value is null is removed, and keys not named stay.\n'
  'metadata: an object that holds the keys to merge. replace: true replaces all metadata of the document.\n'
  'Keys that a chunk brought itself stay. This needs no new embedding, and does not touch the text index. Return '
  'false if no document has that external_id.';
