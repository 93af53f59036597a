create or replace function braid_store.plain_query(query_text text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.token_lower(btrim(regexp_replace(left(query_text, 1000), '[' || braid_store.white_space() || ']+',
    ' ', 'g')));
$$;

comment on function braid_store.plain_query(text) is
  'Return the form of a query in which the search log compares queries: the first 1000 characters in lower case, '
  'with white space collapsed.';
