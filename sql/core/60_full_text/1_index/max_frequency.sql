create or replace function braid_store.max_frequency()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 255;
end
$$;

comment on function braid_store.max_frequency() is
  'Return the highest frequency of a lexeme that an element of forward_rows.terms can hold, in its lowest 8 bits. An '
  'element is the lexeme''s key (braid_store.term_keys), which ends with as many zeros, plus the frequency.';
