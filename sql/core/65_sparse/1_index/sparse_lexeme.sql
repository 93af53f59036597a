create or replace function braid_store.sparse_lexeme(term text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select ' ' || sparse_lexeme.term;
$$;

comment on function braid_store.sparse_lexeme(text) is
  'The name of a sparse term in postings. No lexeme of a text has a space, so the two never meet.';
