create or replace function braid_store.standing_query_terms(
  tenant_id int,
  collection_id int,
  tokens braid_store.query_token[],
  match text,
  out required_lexemes text[],
  out excluded_lexemes text[],
  out demands jsonb,
  out keys text[],
  out prefixes text[],
  out is_plain boolean
)
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
  v_is_all boolean := match in ('all', '100%');
  v_is_any boolean := match in ('any', '0%');
  v_conditions braid_store.query_condition[] := braid_store.query_conditions(tokens);
  v_words braid_store.text_query := braid_store.empty_query();
begin
  if not v_is_any then
    -- As in compile_query, but with the lexemes that no chunk has: demand_whole_words tells what each word must have.
    v_words.terms := array(
      select distinct t.lexeme collate "C" || case t.kind when 'prefix' then '*' else '' end
      from unnest(standing_query_terms.tokens) t
      where t.occurrence in ('must', 'should')
      order by 1);
    v_words.lexemes := v_words.terms;
    v_words.term_numbers := array(select generate_subscripts(v_words.terms, 1));
    v_words.weights := array_fill(0::float8, array[cardinality(v_words.terms)]);
    v_words.document_frequencies := array_fill(0::bigint, array[cardinality(v_words.terms)]);
    v_words.frequencies := array_fill(1, array[cardinality(v_words.terms)]);
    v_words := braid_store.demand_whole_words(v_words, standing_query_terms.tokens, match);
  end if;

  -- A requirement is a list of alternatives: every match has one of them. A query has several: its demands, each word
  -- if all words must be there, and the list of all its words. The rarest requirement gives the keys.
  with searched as (
    -- As in query_terms, stop words and characters are left out if the query has other tokens.
    select t.lexeme, t.kind
    from unnest(standing_query_terms.tokens) t
    where t.occurrence in ('must', 'should')
      and case t.token_kind
            when 'stop_word' then not exists (select from unnest(standing_query_terms.tokens) o
                                              where o.token_kind <> 'stop_word' and o.occurrence in ('must', 'should'))
            when 'character' then not exists (select from unnest(standing_query_terms.tokens) o
                                              where o.token_kind = 'bigram' and o.occurrence in ('must', 'should'))
            else true
          end
  ), words as (
    select w.word_number, array_agg(distinct w.lexeme collate "C") as lexemes,
           bool_or(w.lexeme ~ '[*]$') as has_prefix
    from unnest(v_words.lexemes, v_words.word_numbers) w (lexeme, word_number)
    where w.word_number > 0
    group by w.word_number
  ), demands as (
    select c.*, count(*) over (partition by c.group_number) as alternative_count
    from unnest(v_conditions) c
    where not c.is_excluded
  ), requirements as materialized (
    select 'any' as requirement, s.lexeme, s.kind = 'prefix' as is_prefix from searched s
    union
    select case cardinality(w.lexemes) when 1 then 'word ' || l.lexeme else 'words ' || w.word_number end,
           l.lexeme, false
    from words w, unnest(w.lexemes) l (lexeme)
    where v_is_all and not w.has_prefix
    union
    -- A chunk with n of m words has one of any m - n + 1 of them.
    select 'share', rtrim(l.lexeme, '*'), l.lexeme ~ '[*]$'
    from (
      select w.lexemes, row_number() over (order by f.frequency, f.length desc, w.word_number) as place,
             count(*) over () - v_words.required_words + 1 as kept
      from words w,
           lateral (
             select coalesce(sum(p.document_frequency), 0) as frequency, max(length(l.lexeme)) as length
             from unnest(w.lexemes) l (lexeme)
             left join braid_store.postings p
               on p.tenant_id = standing_query_terms.tenant_id
                  and p.collection_id = standing_query_terms.collection_id and p.lexeme = l.lexeme
           ) f
    ) w, unnest(w.lexemes) l (lexeme)
    where not v_is_all and w.place <= w.kept
    union
    select case when d.alternative_count = 1 and not d.is_prefix then 'word ' || l.lexeme
                else 'group ' || d.group_number end, l.lexeme, d.is_prefix
    from demands d, unnest(d.lexemes) with ordinality l (lexeme, place)
    where d.alternative_count = 1 or l.place = 1
  ), chosen as (
    select r.requirement
    from requirements r,
         lateral (
           select coalesce(sum(p.document_frequency), 0) as document_frequency from braid_store.postings p
           where p.tenant_id = standing_query_terms.tenant_id
             and p.collection_id = standing_query_terms.collection_id and p.lexeme = r.lexeme
           offset 0
         ) p
    group by r.requirement
    -- Long words are rare, which decides where the index does not know the words yet.
    order by bool_or(r.is_prefix), sum(p.document_frequency), max(length(r.lexeme)) desc, r.requirement collate "C"
    limit 1
  )
  select coalesce(array_agg(distinct r.lexeme collate "C") filter (where r.requirement ^@ 'word '), '{}'),
         coalesce(array_agg(distinct r.lexeme collate "C")
                  filter (where r.requirement = c.requirement and not r.is_prefix), '{}'),
         coalesce(array_agg(distinct r.lexeme collate "C")
                  filter (where r.requirement = c.requirement and r.is_prefix), '{}')
  into required_lexemes, keys, prefixes
  from requirements r, chosen c;

  -- required_lexemes has the words with one lexeme, if all words must be there.
  select jsonb_build_array(jsonb_build_object(
           'required', v_words.required_words - count(*) filter (where v_is_all and w.is_single),
           'words', jsonb_agg(to_jsonb(w.lexemes)) filter (where not (v_is_all and w.is_single))))
  into demands
  from (
    select array_agg(distinct w.lexeme) as lexemes,
           count(distinct w.lexeme) = 1 and min(w.lexeme) !~ '[*]$' as is_single
    from unnest(v_words.lexemes, v_words.word_numbers) w (lexeme, word_number)
    where w.word_number > 0
    group by w.word_number
  ) w
  having count(*) filter (where not (v_is_all and w.is_single)) > 0;

  select coalesce(array_agg(distinct c.lexemes[1] collate "C")
                  filter (where c.is_excluded and cardinality(c.lexemes) = 1 and not c.is_prefix), '{}')
  into excluded_lexemes
  from unnest(v_conditions) c;
  demands := nullif(coalesce(demands, '[]') || (
    select coalesce(jsonb_agg(jsonb_build_object('is_excluded', g.is_excluded, 'conditions', g.conditions)), '[]')
    from (
      select c.is_excluded, jsonb_agg(jsonb_build_object('lexemes', c.lexemes, 'offsets', c.offsets,
                                                         'is_prefix', c.is_prefix)) as conditions
      from unnest(v_conditions) c
      where not (c.is_excluded and cardinality(c.lexemes) = 1 and not c.is_prefix)
      group by c.group_number, c.is_excluded
      -- required_lexemes has the words that are demanded alone.
      having count(*) > 1 or bool_or(c.is_excluded or c.is_prefix or cardinality(c.lexemes) > 1)
    ) g), '[]');
  -- A quotation that demands nothing, as in prose, ranks by its words.
  is_plain := not exists (select from unnest(standing_query_terms.tokens) t
                          where t.kind = 'phrase' and t.occurrence = 'should');
end
$$;

comment on function braid_store.standing_query_terms(int, int, braid_store.query_token[], text) is
  'Return the lexemes by which a standing query is found, whatever the index holds. required_lexemes: every chunk '
  'that matches has all of them; a synonym counts as the lexeme. excluded_lexemes: it has none of them. demands: what '
  'demands_hold() tests; null for none. keys, prefixes: it has one of these, or a lexeme that begins with one; both '
  'are empty if no text matches the query. is_plain: without synonyms, every chunk for which all this holds matches.';
