create or replace function braid_store.has_number(key text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when has_number.key in ('importance', 'token_count') then format('c.%I is not null', has_number.key)
              else format('jsonb_typeof(%s) = ''number''', braid_store.filter_metadata_field(has_number.key)) end;
$$;

comment on function braid_store.has_number(text) is
  'Return the SQL condition that a chunk has a number under a key: a column or a metadata key, named as in filters.';
