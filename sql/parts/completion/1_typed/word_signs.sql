create or replace function braid_store.word_signs()
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select '+''’./#@&%$-';
$$;

comment on function braid_store.word_signs() is
  'Return the signs that stand around a word and in it. As the last is -, they can stand in a bracket expression.';
