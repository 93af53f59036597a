create or replace function braid.set_indexed_attributes(indexed_attributes jsonb, collection text default 'default')
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.replace_attributes(set_indexed_attributes.indexed_attributes, set_indexed_attributes.collection);
$$;

comment on function braid.set_indexed_attributes(jsonb, text) is
  'Declares which metadata keys of a collection filters find by index, in place of what was declared before, as an object '
  'of text, number or time (ISO 8601 strings): {"year": "number", "team": "text"}. $eq, $in and ranges use it; what a '
  'filter matches does not change, and values of other types stay as they are, unindexed. Writers go on and index at once; '
  'what is stored already is indexed by braid.maintain(), and filters are as slow as before until then. For administrators.';
