-- role: administrator
-- example: braid.set_indexed_attributes(indexed_attributes => '{}', collection => 'small')
-- page: guide/filters.md#make-a-filter-fast
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
  E'Declare which metadata keys of a collection have an index, so that filters on them are fast.\n'
  'indexed_attributes: an object such as {"year": "number", "team": "text"}, at most 32 keys, which replaces the '
  'former declaration; {} declares none. Its types are text, number and time (ISO 8601 strings).\n'
  'The operators $eq, $in and ranges use the index. The index does not change which chunks pass a filter; scores may '
  'change where statistics_scope is auto. A value of another type is kept but not indexed. New writes are indexed at '
  'once. braid.maintain() indexes the chunks that are stored already; until then, filters are as slow as before. '
  'Only administrators may call it.';
