create or replace function braid_store.choose_driver(
  tenant_id int,
  collection_id int,
  query braid_store.text_query
)
returns braid_store.text_query
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_query braid_store.text_query := query;
  v_added text[];
begin
  -- Every match has all lexemes of a group with a single alternative. If every word is required, a match also has the
  -- lexeme of each word that has only one lexeme.
  v_query.driver_lexemes := '{}';
  v_query.required_lexemes := array(
    select distinct l.lexeme collate "C"
    from (
      select c.*, count(*) over (partition by c.group_number) as alternatives
      from unnest(query.conditions) c
      where not c.is_excluded
    ) c,
    unnest(c.lexemes) l (lexeme)
    where c.alternatives = 1 and not c.is_prefix
    union
    select min(l.lexeme)
    from unnest(query.lexemes, query.word_numbers) l (lexeme, word_number)
    where l.word_number > 0
    group by l.word_number
    having count(*) = 1
       and query.required_words >= (select max(w) from unnest(query.word_numbers) w));

  if v_query.required_lexemes <> '{}' then
    v_query.driver_lexemes := array(
      select l.lexeme
      from unnest(v_query.required_lexemes) l (lexeme),
           lateral (
             select coalesce(sum(p.posting_count), 0) as posting_count from braid_store.postings p
             where p.tenant_id = choose_driver.tenant_id and p.collection_id = choose_driver.collection_id
               and p.lexeme = l.lexeme
             offset 0
           ) p
      order by p.posting_count, l.lexeme collate "C"
      limit 1);
  elsif exists (select from unnest(query.conditions) c where not c.is_excluded and not c.is_prefix) then
    -- All required groups have alternatives (a OR b). The driver takes one lexeme of each alternative of the first
    -- group.
    v_query.driver_lexemes := array(
      select distinct case when c.is_prefix then null else c.lexemes[1] end collate "C"
      from unnest(query.conditions) c
      where c.group_number = (select min(g.group_number) from unnest(query.conditions) g where not g.is_excluded));
    if array_position(v_query.driver_lexemes, null) is not null then
      v_query.driver_lexemes := '{}';
    end if;
  elsif query.required_words > 1 then
    -- If m of n words are required, a match has at least one of any n - m + 1 words. The driver takes the rarest words.
    v_query.driver_lexemes := array(
      select l.lexeme
      from (
        select l.word_number,
               row_number() over (order by sum(p.posting_count), l.word_number) as rarity,
               count(*) over () as word_count, array_agg(l.lexeme) as lexemes
        from unnest(query.lexemes, query.word_numbers) l (lexeme, word_number),
             lateral (
               select coalesce(sum(p.posting_count), 0) as posting_count from braid_store.postings p
               where p.tenant_id = choose_driver.tenant_id and p.collection_id = choose_driver.collection_id
                 and p.lexeme = l.lexeme
               offset 0
             ) p
        where l.word_number > 0
        group by l.word_number
      ) w,
      unnest(w.lexemes) l (lexeme)
      where w.rarity <= w.word_count - query.required_words + 1);
  end if;

  -- Lexemes that are demanded but not ranked by, such as the stop words of a phrase, get weight 0, so they add nothing
  -- to a score.
  v_added := array(select unnest(v_query.driver_lexemes || v_query.required_lexemes)
                   except
                   -- The lexeme of a phrase stands for the phrase; its own list is not read.
                   select q.lexeme from unnest(query.lexemes, query.phrases) q (lexeme, phrase) where q.phrase is null);
  v_query.lexemes := query.lexemes || v_added;
  v_query.weights := query.weights || array_fill(0::float8, array[cardinality(v_added)]);
  v_query.term_numbers := query.term_numbers || array_fill(0, array[cardinality(v_added)]);
  v_query.word_numbers := query.word_numbers || array_fill(0, array[cardinality(v_added)]);
  if query.phrases <> '{}' then
    v_query.phrases := query.phrases || array_fill(null::text, array[cardinality(v_added)]);
  end if;
  return v_query;
end
$$;

comment on function braid_store.choose_driver(int, int, braid_store.text_query) is
  'Choose how to find the matches of a query with demands. Return the query with two arrays set. driver_lexemes: '
  'lexemes with few postings, at least one of which is in every match; empty if no such set is known. '
  'required_lexemes: lexemes that are all in every match. If the query does not rank by one of these lexemes, or '
  'only as the lexeme of a phrase, it is added with weight 0.';
