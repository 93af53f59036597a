create or replace function braid_store.token_grams(tokens text[])
returns table (token text, place int, gram text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select p.token, p.place,
    unnest(array[p.character, p.character || p.next_character]),
    -- A run of one character is a word: a query must not drop it as it drops characters that bigrams cover.
    unnest(array[case when p.length = 1 then 'word' else 'character' end,
                 case when p.next_character is not null then 'bigram' end])
  from (
    select c.token, cardinality(c.characters) as length, generate_subscripts(c.characters, 1) - 1 as place,
      unnest(c.characters) as character, unnest(c.characters[2:]) as next_character
    from (
      select t.token, string_to_array(t.token, null) as characters
      from unnest(token_grams.tokens) as t (token)
    ) as c
  ) as p;
end
$$;

comment on function braid_store.token_grams(text[]) is
  'The characters and bigrams of tokens, each at the place (from 0) of its first character.';
