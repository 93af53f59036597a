create or replace function braid_store.token_grams(tokens text[])
returns table (token_number int, place int, gram text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with runs as materialized (
    select t.token_number::int as token_number, length(t.token) as length, string_to_array(t.token, null) as characters
    from unnest(token_grams.tokens) with ordinality as t (token, token_number)
    where t.token is not null
  ), places as materialized (
    select r.token_number, r.length, generate_series(0, r.length - 1) as place,
      unnest(r.characters) as character, unnest(r.characters[2:]) as next_character
    from runs r
  )
  -- A run of a single character has kind word. A query drops characters that bigrams cover, and must not drop this one.
  select p.token_number, p.place, p.character, case when p.length = 1 then 'word' else 'character' end
  from places p
  union all
  select p.token_number, p.place, p.character || p.next_character, 'bigram'
  from places p
  where p.next_character is not null;
end
$$;

comment on function braid_store.token_grams(text[]) is
  'Return the characters and bigrams of tokens, each at the place (from 0) of its first character. token_number: the '
  'token''s index in the array; nulls are skipped.';
