create or replace function braid_store.compile_query(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  match text,
  hidden_lexemes text[] default '{}',
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
  c_max_terms constant int := 64;
  c_group_size constant bigint := 1000000; -- larger than the number of positions in a group
  v_factor float8 := braid_store.bm25_factor(compile_query.collection);
  v_chunk_count bigint;
  v_average_length float8;
  v_has_deletions boolean;
  v_is_plain boolean; -- True if each term is one plain word of the query, without operators or synonyms.
  v_has_operators boolean;
  v_kinds_left_out text[];
  v_word_count int;
  v_has_demands boolean := false; -- True if a lexeme or phrase must be present.
begin
  select i.chunk_count,
         coalesce(nullif((i.body_length + compile_query.collection.title_weight * i.title_length)
                         / nullif(i.chunk_count, 0), 0::float8), 1),
         t.is_plain and i.has_no_synonyms, t.has_operators,
           t.kinds_left_out, i.has_deletions
  into v_chunk_count, v_average_length, v_is_plain, v_has_operators, v_kinds_left_out, v_has_deletions
  from (
    -- The three sums are computed as in index_statistics.
    select coalesce(sum(s.chunk_count), 0)::bigint as chunk_count, coalesce(sum(s.body_length),
      0)::bigint as body_length,
           coalesce(sum(s.title_length), 0)::bigint as title_length,
           coalesce(bool_or(s.is_deletion), false) as has_deletions,
           not exists (select from braid_store.synonyms y where y.collection_id = compile_query.collection.id)
             as has_no_synonyms
    from braid_store.segments s
    where s.tenant_id = compile_query.tenant_id and s.collection_id = compile_query.collection.id
  ) i,
  (
    select count(*) <= c_max_terms
           and coalesce(bool_and(t.occurrence = 'should' and t.kind = 'word' and t.clause_number = t.group_number),
             true)
           and (compile_query.match in ('any', '0%') or coalesce(bool_and(t.token_kind <> 'part'), true))
             as is_plain,
           coalesce(bool_or(t.occurrence <> 'should'), false) as has_operators,
           -- Leave out stop words if the query has other words, and single characters if it has bigrams, as query_terms
           -- does.
           array[case when bool_or(t.token_kind <> 'stop_word') then 'stop_word' end,
                 case when bool_or(t.token_kind = 'bigram') then 'character' end] as kinds_left_out
    from unnest(compile_query.tokens) t
  ) t;

  if v_is_plain then
    -- Most queries take this branch. It gives the same result as query_terms and the code below, with less to plan and
    -- run.
    select w.lexemes, w.weights, w.term_numbers, w.word_numbers,
           case when w.word_count = 0 then 0 when compile_query.match = 'any' then 1
                else braid_store.required_words(compile_query.match, w.word_count) end,
           '{}', '{}', '{}', w.posting_count, v_average_length, w.document_frequencies, w.frequencies, w.lexemes, '{}',
           w.absent_terms, '{}', v_has_deletions, '{}'
    into query
    from (
      select coalesce(array_agg(w.lexeme) filter (where w.is_searched), '{}') as lexemes,
             coalesce(array_agg(v_factor * w.frequency * ln(1 + (v_chunk_count - w.document_frequency + 0.5::float8)
                                                     / (w.document_frequency + 0.5::float8)))
                      filter (where w.is_searched), '{}') as weights,
             coalesce(array_agg(w.term_number) filter (where w.is_searched), '{}') as term_numbers,
             coalesce(array_agg(w.word_number) filter (where w.is_searched), '{}') as word_numbers,
             coalesce(max(w.word), 0)::int as word_count,
             coalesce(sum(w.posting_count) filter (where w.is_searched), 0) as posting_count,
             coalesce(array_agg(w.document_frequency) filter (where w.is_searched), '{}') as document_frequencies,
             coalesce(array_agg(w.frequency) filter (where w.is_searched), '{}') as frequencies,
             coalesce(array_agg(w.lexeme) filter (where w.document_frequency = 0), '{}') as absent_terms
      from (
        select w.*, p.*, p.document_frequency > 0 and p.posting_count > 0 as is_searched,
               dense_rank() over (partition by p.document_frequency > 0 and p.posting_count > 0 order by w.word)::int
                 as word_number,
               row_number() over (partition by p.document_frequency > 0 and p.posting_count > 0 order by w.lexeme)::int
                 as term_number
        from (
          select t.lexeme collate "C" as lexeme, count(*)::int as frequency,
                 dense_rank() over (order by min(t.position + c_group_size * t.group_number)) as word
          from unnest(compile_query.tokens) t
          where array_position(v_kinds_left_out, t.token_kind) is null
          group by t.lexeme collate "C"
        ) w,
        lateral (
          select coalesce(sum(p.document_frequency), 0)::bigint as document_frequency,
                 coalesce(sum(p.posting_count), 0)::bigint as posting_count
          from braid_store.postings p
          where p.tenant_id = compile_query.tenant_id and p.collection_id = compile_query.collection.id
            and p.lexeme = w.lexeme and w.lexeme <> all (compile_query.hidden_lexemes)
          offset 0
        ) p
        order by w.lexeme
      ) w
    ) w;
    if query.required_words > 1 then
      query := braid_store.choose_driver(compile_query.tenant_id, compile_query.collection.id, query);
    end if;
    return;
  end if;

  query.average_length := v_average_length;
  query.shares := '{}';
  -- A chunk is ranked by terms, each with one or more lexemes. match counts words: how many of them a chunk must have.
  with lexemes as (
    select t.*,
           -- A term is as common as its commonest lexeme (as in Lucene's SynonymQuery).
           coalesce(max(t.document_frequency) over (partition by t.term), 0) as term_frequency,
           -- This column names the word that a lexeme counts for. A compound and its parts count as one word, and so do
           -- alternatives (OR). Words with + are not counted, because every match has them.
           case when t.occurrence = 'must' then null
                when min(t.clause_number) over same_group < max(t.clause_number) over same_group
                  then min(t.position) over same_group
                else t.position end + c_group_size * t.group_number as word
    from braid_store.query_terms(compile_query.tenant_id, compile_query.collection, compile_query.tokens,
                                 compile_query.hidden_lexemes) t
    window same_group as (partition by t.group_number)
  ), limited as (
    -- The rarest terms distinguish chunks best, so they are kept. A term that no chunk has is neither kept nor dropped.
    select l.*, l.term_frequency > 0
                and dense_rank() over (order by l.term_frequency = 0, l.term_frequency,
                  l.term collate "C") <= c_max_terms
                  as is_kept
    from lexemes l
  ), numbered as materialized (
    select l.*, s.is_searched,
           case when l.word is null then 0
                else dense_rank() over (partition by s.is_searched order by l.word) end::int as word_number,
           dense_rank() over (partition by s.is_searched order by l.term collate "C")::int as term_number,
           -- This is Lucene's idf, which is never negative (BM25Similarity; Robertson & Zaragoza 2009, section 3.1,
           -- plus 1).
           v_factor * l.frequency * ln(1 + (v_chunk_count - l.term_frequency + 0.5::float8) / (l.term_frequency
             + 0.5::float8))
             as weight
    from limited l,
         lateral (select l.is_kept and l.posting_count > 0 as is_searched) s
  )
  select s.lexemes, s.weights, s.term_numbers, s.word_numbers, s.document_frequencies, s.frequencies, s.posting_count,
         n.terms, n.word_count, n.dropped_terms, n.absent_terms, s.phrases, v_has_deletions
  into query.lexemes, query.weights, query.term_numbers, query.word_numbers, query.document_frequencies,
       query.frequencies, query.posting_count, query.terms, v_word_count, query.dropped_terms, query.absent_terms,
       query.phrases, query.has_deletions
  from (
    select coalesce(array_agg(n.lexeme), '{}') as lexemes, coalesce(array_agg(n.weight), '{}') as weights,
           coalesce(array_agg(n.term_number), '{}') as term_numbers,
           coalesce(array_agg(n.word_number), '{}') as word_numbers,
           coalesce(array_agg(n.term_frequency), '{}') as document_frequencies,
           coalesce(array_agg(n.frequency), '{}') as frequencies, coalesce(sum(n.posting_count), 0) as posting_count,
           case when count(n.phrase) > 0 then array_agg(n.phrase) else '{}' end as phrases
    from (select n.* from numbered n where n.is_searched
          order by n.term_number, n.lexeme collate "C", n.phrase collate "C") n
  ) s,
  (
    select coalesce(array_agg(distinct n.term collate "C") filter (where n.is_searched), '{}') as terms,
           -- A word that no chunk has still counts. A word whose lexemes were all dropped does not count.
           count(distinct n.word) filter (where n.is_kept or n.term_frequency = 0) as word_count,
           coalesce(array_agg(distinct n.term collate "C") filter (where n.term_frequency > 0 and not n.is_kept), '{}')
             as dropped_terms,
           coalesce(array_agg(distinct n.term collate "C") filter (where n.term_frequency = 0 and n.kind = 'word'),
             '{}')
             as absent_terms
    from numbered n
  ) n;

  -- Most queries have no operators and demand nothing.
  query.conditions := '{}';
  if v_has_operators then
    query.conditions := braid_store.query_conditions(compile_query.tokens);
    v_has_demands := exists (select from unnest(query.conditions) c where not c.is_excluded);
  end if;
  -- With match any, if something is demanded, no other word is required.
  query.required_words := case when v_word_count = 0 or compile_query.match = 'any' and v_has_demands then 0
                               else braid_store.required_words(compile_query.match, v_word_count) end;

  if compile_query.match not in ('any', '0%')
     and exists (select from unnest(compile_query.tokens) t
                 where t.token_kind = 'part' and t.occurrence = 'should') then
    query := braid_store.demand_whole_words(query, compile_query.tokens, compile_query.match);
  end if;

  query.driver_lexemes := '{}';
  query.required_lexemes := '{}';
  if query.required_words > 1 or v_has_demands then
    query := braid_store.choose_driver(compile_query.tenant_id, compile_query.collection.id, query);
  end if;
end
$$;

comment on function braid_store.compile_query(int, braid_store.collections, braid_store.query_token[], text,
                                           text[]) is
  'Compile a query for a search of the index: the terms that it ranks by, their weights, and the conditions that a '
  'chunk must meet. If there are more than 64 terms, keep the 64 rarest. match: any, all or a share such as 75%. '
  'hidden_lexemes: lexemes that count as if no chunk had them.';
