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
  select braid_store.change_metadata(update_metadata.external_id, update_metadata.metadata, update_metadata.replace,
                                     update_metadata.collection);
$$;

comment on function braid.update_metadata(text, jsonb, boolean, text) is
  'Merges keys into a document''s metadata (null removes a key), or replaces it. Touches no text index and no vector; keys '
  'that a chunk brought itself stay. False if there is no such document.';
