create or replace function braid_store.least_word_count(content text, at_least int)
returns int
language plpgsql
immutable
strict
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A word and what separates it take two bytes at least.
  if octet_length(content) < 2 * at_least then
    return 0;
  end if;
  return regexp_count(content, E'[A-Za-z0-9][^\\s\\u3400-\\u9fff]*|[\\u3400-\\u9fff]');
end
$$;

comment on function braid_store.least_word_count(text, int) is
  'Return a number of words that a text has at least, found quickly. Return 0 if the text is too short to have '
  'at_least words.';
