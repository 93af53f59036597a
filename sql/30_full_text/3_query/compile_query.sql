create or replace function braid_store.compile_query(
  tenant_id int,
  collection braid_store.collections,
  query_text text,
  match text,
  absent_lexemes text[],
  corrected_lexemes text[],
  out query braid_store.text_query
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
  v_chunk_count bigint;
  v_word_count int;
  v_has_demands boolean := false;
begin
  select s.chunk_count,
         coalesce(nullif((s.body_length + compile_query.collection.title_weight * s.title_length)
                         / nullif(s.chunk_count, 0), 0), 1)
  into v_chunk_count, query.average_length
  from braid_store.index_statistics(compile_query.tenant_id, compile_query.collection.id) s;

  with lexemes as (
    select t.*,
           -- The lexemes of a term are blended: it is as common as the commonest (Lucene's SynonymQuery).
           coalesce(max(t.document_frequency) over (partition by t.term), 0) as term_frequency,
           -- A compound and its parts are one word, alternatives are one; what must be there anyway is none.
           case when t.occurrence = 'must' then null
                when min(t.clause_number) over same_group < max(t.clause_number) over same_group
                  then min(t.position) over same_group
                else t.position end + 1000000 * t.group_number::bigint as word
    from braid_store.query_terms(compile_query.tenant_id, compile_query.collection, compile_query.query_text,
                                 compile_query.absent_lexemes, compile_query.corrected_lexemes) t
    window same_group as (partition by t.group_number)
  ), ranked as (
    select l.*, l.term_frequency > 0
                and dense_rank() over (order by l.term_frequency = 0, l.term_frequency, l.term collate "C") <= 64 as is_kept
    from lexemes l
  ), numbered as (
    select r.*, s.is_searched,
           case when r.word is null then 0
                else dense_rank() over (partition by s.is_searched order by r.word) end::int as word_number,
           dense_rank() over (partition by s.is_searched order by r.term collate "C")::int as term_number,
           -- Lucene's idf, which is never negative (BM25Similarity; Robertson & Zaragoza 2009, section 3.1, plus 1).
           r.frequency * ln(1 + (v_chunk_count - r.term_frequency + 0.5::float8) / (r.term_frequency + 0.5::float8)) as weight
    from ranked r,
         lateral (select r.is_kept and r.posting_count > 0 as is_searched) s
  )
  select coalesce(array_agg(n.lexeme order by n.term_number, n.lexeme collate "C") filter (where n.is_searched), '{}'),
         coalesce(array_agg(n.weight order by n.term_number, n.lexeme collate "C") filter (where n.is_searched), '{}'),
         coalesce(array_agg(n.term_number order by n.term_number, n.lexeme collate "C") filter (where n.is_searched), '{}'),
         coalesce(array_agg(n.word_number order by n.term_number, n.lexeme collate "C") filter (where n.is_searched), '{}'),
         coalesce(array_agg(n.term_frequency order by n.term_number, n.lexeme collate "C") filter (where n.is_searched), '{}'),
         coalesce(array_agg(n.frequency order by n.term_number, n.lexeme collate "C") filter (where n.is_searched), '{}'),
         coalesce(sum(n.posting_count) filter (where n.is_searched), 0),
         coalesce(array_agg(distinct n.term collate "C") filter (where n.is_searched), '{}'),
         -- A word that occurs nowhere still counts; one whose every lexeme was dropped does not.
         count(distinct n.word) filter (where n.is_kept or n.term_frequency = 0),
         coalesce(array_agg(distinct n.term collate "C") filter (where n.term_frequency > 0 and not n.is_kept), '{}'),
         coalesce(array_agg(distinct n.term collate "C") filter (where n.term_frequency = 0 and n.kind = 'word'), '{}')
  into query.lexemes, query.weights, query.term_numbers, query.word_numbers, query.document_frequencies, query.frequencies,
       query.posting_count, query.terms, v_word_count, query.dropped_terms, query.absent_terms
  from numbered n;

  query.conditions := '{}';
  -- Most queries demand nothing, and have none of the characters that do.
  if compile_query.query_text ~ '[-+"“”„]'
     and exists (select from braid_store.parse_query(compile_query.query_text) p where p.occurrence <> 'should')
  then
    query.conditions := braid_store.query_conditions(compile_query.query_text, compile_query.collection.text_config,
                                                     compile_query.collection.fold_diacritics);
    if compile_query.corrected_lexemes <> '{}' then
      query.conditions := array(
        select row(c.group_number, c.is_excluded, c.is_prefix,
                   case when w.lexeme is null then c.lexemes else array[w.lexeme] end,
                   c.offsets)::braid_store.query_condition
        from unnest(query.conditions) with ordinality
               c (group_number, is_excluded, is_prefix, lexemes, offsets, place)
        left join unnest(compile_query.absent_lexemes, compile_query.corrected_lexemes) w (absent, lexeme)
          on c.lexemes = array[w.absent] and not c.is_excluded and not c.is_prefix
             and c.group_number in (select p.group_number from braid_store.parse_query(compile_query.query_text) p
                                    where p.kind = 'word')
        order by c.place);
    end if;
    v_has_demands := exists (select from unnest(query.conditions) c where not c.is_excluded);
  end if;
  query.required_words := case when v_word_count = 0 or compile_query.match = 'any' and v_has_demands then 0
                               else braid_store.required_words(compile_query.match, v_word_count) end;
  query.driver_lexemes := '{}';
  query.required_lexemes := '{}';
  if query.required_words > 1 or v_has_demands then
    query := braid_store.choose_driver(compile_query.tenant_id, compile_query.collection.id, query);
  end if;
end
$$;

comment on function braid_store.compile_query(int, braid_store.collections, text, text, text[], text[]) is
  'A query text as an index search: the terms that it ranks by, of which the 64 most selective are kept, and what a chunk '
  'must have. Where a word is among absent_lexemes, the corrected one takes its place.';
