create or replace function braid_store.demand_whole_words(
  query braid_store.text_query,
  tokens braid_store.query_token[],
  match text
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
  c_punctuation constant text := E'!"()*,;<=>?[]^`{|}~''-/\\:.&¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–';
  v_query braid_store.text_query := query;
  v_count int := cardinality(query.lexemes);
  v_places int[];
  v_word_numbers int[];
  v_word_count int;
begin
  with tokens as (
    -- As in query_terms, stop words and characters are left out if the query has other tokens.
    select t.clause_number, t.position, t.kind, t.token_kind, t.written, t.lexeme,
           min(t.clause_number) over same_group < max(t.clause_number) over same_group as has_alternatives,
           t.group_number
    from unnest(demand_whole_words.tokens) t
    where t.occurrence = 'should'
      and case t.token_kind
            when 'stop_word' then not exists (select from unnest(demand_whole_words.tokens) o
                                              where o.token_kind <> 'stop_word' and o.occurrence in ('must', 'should'))
            when 'character' then not exists (select from unnest(demand_whole_words.tokens) o
                                              where o.token_kind = 'bigram' and o.occurrence in ('must', 'should'))
            else true
          end
    window same_group as (partition by t.group_number)
  ), places as (
    select t.*,
           bool_or(t.token_kind = 'part') over place and bool_or(t.token_kind = 'compound') over place as is_compound,
           btrim(min(t.written) over place, c_punctuation) as text,
           first_value(t.lexeme) over (
             place order by t.token_kind <> 'part', length(t.lexeme) desc, t.lexeme collate "C")
             as longest_part
    from tokens t
    window place as (partition by t.clause_number, t.position)
  ), shapes as (
    select p.*,
           -- Words of prose that hyphens join: state-of-the-art, but not IL-6, get_user-name or PostgreSQL-based.
           p.text ~ E'^[^\\u0001-\\u0040\\u005b-\\u0060\\u007b-\\u00a9]+'
                    '(?:[-‐‑‒–−־֊][^\\u0001-\\u0040\\u005b-\\u0060\\u007b-\\u00a9]+)+$'
             and p.text !~ '[a-z][A-Z]|[A-Z]{2}[a-z]' and not p.has_alternatives as is_hyphenated,
           -- O'Brien is found by Brien, and l'avion by avion.
           p.text ~ '[''’‘ʼʹʻʽʾʿꞌ׳]'
             and p.text ~ E'^[^\\u0001-\\u0026\\u0028-\\u0040\\u005b-\\u0060\\u007b-\\u00a9]+$' as has_apostrophe
    from places p
  ), words as (
    select s.lexeme || case s.kind when 'prefix' then '*' else '' end as term,
           case when s.has_alternatives then null else s.clause_number end as clause_number, s.group_number,
           case when s.has_alternatives then null else s.position end as position, w.part
    from shapes s,
         lateral (
           select null as part
           where not s.is_compound
              or not s.is_hyphenated
                 and (s.token_kind = 'compound'
                      or s.lexeme = s.longest_part and (s.has_apostrophe or s.has_alternatives and s.text like '%-%'
                                                        and s.text !~ '[0-9_]')
                      -- $19.99 is found by 19.99, and v1.2.3 by 1.2.3.
                      or s.token_kind = 'part'
                         and s.lexeme = substring(s.text from '^(?:[$£€¥₹]|v(?=[0-9]+[.]))([0-9][0-9.]*)$'))
           union all
           select s.lexeme where s.is_compound and s.is_hyphenated and s.token_kind = 'part'
           union all
           select o.lexeme
           from shapes o
           where s.is_compound and s.is_hyphenated and s.token_kind = 'compound'
             and o.clause_number = s.clause_number and o.position = s.position and o.token_kind = 'part'
         ) w
  ), counted as (
    -- A term counts where it first occurs.
    select distinct w.term, w.word
    from (
      select w.term, array[w.group_number::text, w.clause_number::text, w.position::text, w.part] as word,
             rank() over (partition by w.term order by w.group_number, w.clause_number, w.position) as place
      from words w
    ) w
    where w.place = 1 and w.term <> all (demand_whole_words.query.dropped_terms)
  ), numbered as (
    select c.term, dense_rank() over (order by c.word collate "C")::int as word_number from counted c
  ), entries as (
    select q.place, coalesce(n.word_number, 0) as word_number,
           row_number() over (partition by q.place order by n.word_number) as copy
    from unnest(demand_whole_words.query.term_numbers) with ordinality q (term_number, place)
    left join numbered n on n.term = demand_whole_words.query.terms[q.term_number]
  )
  select coalesce(array_agg(e.place::int order by e.copy > 1, e.place, e.copy), '{}'),
         coalesce(array_agg(e.word_number order by e.copy > 1, e.place, e.copy), '{}'),
         coalesce((select max(n.word_number) from numbered n), 0)
  into v_places, v_word_numbers, v_word_count
  from entries e;

  v_query.required_words := case when v_word_count = 0 then 0
                                 else braid_store.required_words(demand_whole_words.match, v_word_count) end;
  if v_query.required_words = 1 then
    -- A single required word is not tested, since each chunk with a score has one. The parts of an identifier give a
    -- score too, so each word is counted twice here, and two are required.
    v_query.required_words := 2;
    v_places := v_places || v_places;
    v_word_numbers := v_word_numbers || array(select case when w > 0 then w + v_word_count else 0 end
                                              from unnest(v_word_numbers) with ordinality u (w, place) order by place);
  end if;
  v_query.word_numbers := v_word_numbers;
  if v_places <> '{}' then
    select array_agg(v_query.lexemes[u.place] order by u.number),
           -- Copies add nothing to a score.
           array_agg(case when u.number <= v_count then v_query.weights[u.place] else 0 end order by u.number),
           array_agg(case when u.number <= v_count then v_query.term_numbers[u.place] else 0 end order by u.number),
           array_agg(v_query.document_frequencies[u.place] order by u.number),
           array_agg(case when u.number <= v_count then v_query.frequencies[u.place] else 0 end order by u.number),
           case when v_query.phrases = '{}' then '{}'
                else array_agg(v_query.phrases[u.place] order by u.number) end
    into v_query.lexemes, v_query.weights, v_query.term_numbers, v_query.document_frequencies, v_query.frequencies,
         v_query.phrases
    from unnest(v_places) with ordinality u (place, number);
  end if;
  return v_query;
end
$$;

comment on function braid_store.demand_whole_words(braid_store.text_query, braid_store.query_token[], text) is
  E'Make a compiled query with match all or a share count identifiers whole: in get_user_name, 17.2 and E-4012 the '
  'parts rank, but only the whole word meets the demand. Words of prose that hyphens join (state-of-the-art) count '
  'one by one, and the joined form counts for all of them. A word with an apostrophe is met by its longest part, too.\n'
  'A lexeme that counts for several words is repeated with weight 0 and term number 0.';
