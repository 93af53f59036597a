create or replace function braid_store.phrase_synonyms(collection_id int, tokens braid_store.query_token[])
returns table (lexeme text, synonym text, word_count int)
language plpgsql
stable
parallel safe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  with tokens as materialized (
    -- Only plain words are considered, each a clause of its own: no quotation, prefix, alternative (OR) or word with a
    -- sign.
    select t.clause_number, t.position, t.lexeme
    from (
      select t.*, min(t.clause_number) over (partition by t.group_number)
                  = max(t.clause_number) over (partition by t.group_number) as is_alone
      from unnest(phrase_synonyms.tokens) t
    ) t
    where t.is_alone and t.kind = 'word' and t.occurrence = 'should'
  ), followed as (
    select p.clause_number, p.position, row_number() over in_order as number,
           p.clause_number <= lag(p.clause_number) over in_order + 1 as follows
    from (select distinct t.clause_number, t.position from tokens t) p
    window in_order as (order by p.clause_number, p.position)
  ), places as (
    -- Where another clause stands between two words, the numbering skips a place.
    select f.clause_number, f.position,
           f.number + count(*) filter (where not f.follows) over (order by f.number) as place
    from followed f
  ), words as materialized (
    select p.place, t.lexeme collate "C" as lexeme
    from places p
    join tokens t on t.clause_number = p.clause_number and t.position = p.position
  ), phrases as (
    select distinct y.phrase, y.synonym_lexemes
    from words f
    join words s on s.place = f.place + 1,
    lateral (
      -- This range contains all entries that begin with these two words: in "C" order an exclamation mark directly
      -- follows a space.
      select y.lexeme as phrase, y.synonym_lexemes
      from braid_store.synonyms y
      where y.collection_id = phrase_synonyms.collection_id
        and y.lexeme >= f.lexeme || ' ' || s.lexeme and y.lexeme < f.lexeme || ' ' || s.lexeme || '!'
      offset 0
    ) y
    where not exists (
      select from string_to_table(y.phrase, ' ') with ordinality w (lexeme, number)
      where (f.place + w.number - 1, w.lexeme) not in (select o.place, o.lexeme from words o))
  ), synonyms as (
    select w.lexeme, u.synonym, max(p.word_count) as word_count
    from (
      select p.phrase, p.synonym_lexemes, cardinality(string_to_array(p.phrase, ' ')) as word_count from phrases p
      union all
      select y.lexeme, y.synonym_lexemes, 1
      from (select distinct w.lexeme from phrases p, string_to_table(p.phrase, ' ') w (lexeme)) w
      join braid_store.synonyms y on y.collection_id = phrase_synonyms.collection_id and y.lexeme = w.lexeme
    ) p,
    string_to_table(p.phrase, ' ') w (lexeme),
    unnest(p.synonym_lexemes) u (synonym)
    group by w.lexeme, u.synonym
  )
  select s.lexeme, s.synonym, s.word_count
  from synonyms s
  -- A text with this synonym already contains the word.
  where not braid_store.phrase_contains(s.synonym, s.lexeme)
    -- A synonym that contains another synonym would count twice.
    and not exists (select from synonyms o
                    where o.lexeme = s.lexeme and o.synonym <> s.synonym
                      and braid_store.phrase_contains(s.synonym, o.synonym));
end
$$;

comment on function braid_store.phrase_synonyms(int, braid_store.query_token[]) is
  'Find the phrases with synonyms in a query. For each word of a phrase, return the synonyms of the phrase and of '
  'the word. A text with a synonym counts like a text with all words of the phrase. word_count: the number of words '
  'in the longest phrase found that has the word.';
