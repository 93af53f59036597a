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
  'Return the name under which postings stores a sparse term. A full-text lexeme never contains a space, so the two '
  'cannot collide.';
