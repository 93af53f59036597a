create or replace function braid_store.phrase_ends()
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select E'\\u00a0\\u2000-\\u200f\\u2012-\\u2018\\u201a-\\u206f\\u3000-\\u3011'
    '"!?,;:()\\[\\]{}<>|*=`~«»¿¡\\uff01\\uff0c\\uff1a\\uff1b\\uff1f';
$$;

comment on function braid_store.phrase_ends() is
  'Return the characters that end a phrase, for a bracket expression. White space, and a point before it, end words, '
  'too.';
