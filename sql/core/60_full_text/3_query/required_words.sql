create or replace function braid_store.required_words(match text, word_count int)
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if required_words.match = 'any' then
    return 1;
  elsif required_words.match = 'all' then
    return greatest(required_words.word_count, 1);
  elsif required_words.match ~ '^(100|[1-9]?[0-9])%$' then
    return greatest(ceil(required_words.word_count * rtrim(required_words.match, '%')::int / 100.0)::int, 1);
  else
    raise exception 'match is %', coalesce('''' || left(required_words.match, 255) || '''', 'null')
      using errcode = '22023', hint = 'Use any, all, or the least share of the query''s words, such as 75%.';
  end if;
end
$$;

comment on function braid_store.required_words(text, int) is
  'Return how many of word_count words of a query a chunk must contain. match: any (1), all, or a share such as 75%, '
  'rounded up. Raise 22023 for any other match.';
