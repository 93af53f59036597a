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
  -- A word and its separator take at least two bytes.
  if octet_length(content) < 2 * at_least then
    return 0;
  end if;
  return regexp_count(content, E'[A-Za-z0-9][^\\s\\u3400-\\u9fff]*|[\\u3400-\\u9fff]');
end
$$;

comment on function braid_store.least_word_count(text, int) is
  'Return a lower bound of the number of words in a text, found quickly. Return 0 if the text is too short to have '
  'at_least words.';
