create or replace function braid_store.version_id(external_id text, valid_from text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select version_id.external_id || '@' || coalesce(version_id.valid_from, '');
$$;

comment on function braid_store.version_id(text, text) is
  'Return the external_id of a former version of a document: the document''s own, and when the version began.';
