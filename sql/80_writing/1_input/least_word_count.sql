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
  -- Each takes two bytes.
  if octet_length(content) < 2 * at_least then
    return 0;
  end if;
  return regexp_count(content, E'[A-Za-z0-9][^\\s\\u3400-\\u9fff]*|[\\u3400-\\u9fff]');
end
$$;

comment on function braid_store.least_word_count(text, int) is
  'No more than the words that a text is indexed by, and quickly: 0 if it is too short for so many as at_least.';
