create or replace function braid_store.query_text_hash(embedded_text text)
returns bytea
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select sha256(convert_to(query_text_hash.embedded_text, 'UTF8'));
$$;

comment on function braid_store.query_text_hash(text) is
  'Return the hash under which the vector of a query''s text is stored.';
