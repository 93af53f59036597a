create or replace function braid_store.white_space()
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The client's pgbraid.query_text.embedded_text has the same list.
  return E'\t\n\u000b\f\r '
    '\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029'
         '\u202f\u205f\u3000';
end
$$;

comment on function braid_store.white_space() is
  'Return the characters that separate the words of a query: Unicode''s white space.';
