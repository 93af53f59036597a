create or replace function braid_store.version_key(external_id text, metadata jsonb)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case
    when right(version_key.external_id, length(s.suffix)) = s.suffix
         and length(version_key.external_id) > length(s.suffix)
         and version_key.metadata ?| '{valid_from,valid_until}'
      then left(version_key.external_id, -length(s.suffix))
    else version_key.external_id end
  from (select braid_store.version_id('', version_key.metadata ->> 'valid_from') as suffix) s;
$$;

comment on function braid_store.version_key(text, jsonb) is
  'Return the external_id of the document of which a document is a version: its own, unless its external_id is '
  'version_id() of another and its valid_from.';
