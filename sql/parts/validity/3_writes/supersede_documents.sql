-- role: writer
-- example: braid.supersede_documents(documents => '[]', collection => 'small')
-- page: guide/validity.md#replace-a-fact-and-keep-it
create or replace function braid.supersede_documents(documents jsonb, collection text default 'default')
returns setof braid_store.write_result
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.write_versions(supersede_documents.documents, supersede_documents.collection);
$$;

comment on function braid.supersede_documents(jsonb, text) is
  E'Store documents as new versions; former versions stay, and are valid until the next one begins.\n'
  'documents: an array as in upsert_documents. valid_from in the metadata tells since when a version holds. Without '
  'it, a version holds from now on, and the text that is valid now is no new version. The latest version has the '
  'external_id; former versions have the external_id, @, and their valid_from, and searches with $as_of find them. A '
  'version that is told later but begins earlier takes its place among the former ones. A version with the valid_from '
  'of a stored one replaces it.\n'
  'Versions keep their vectors. Return for each document the external_id under which it is stored, its id, its status '
  'and its number of chunks, as upsert_documents does. The collection needs set_validity.';
