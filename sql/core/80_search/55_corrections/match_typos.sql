create or replace function braid_store.match_typos(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  match text,
  query braid_store.text_query,
  out matched braid_store.text_query,
  out corrections jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_words constant int := 5;
  c_most_alternatives constant int := 3;
  -- A word may have two edits from this number of letters on. Other words that chunks have tell which near word is
  -- meant, so fewer letters are enough beside them.
  c_two_edits_from constant int := 8;
  c_two_edits_beside_from constant int := 4;
  -- A word is as good as absent if at most one chunk of 20,000 has it, and a near word is 100 times as common.
  c_rare_share constant float8 := 1 / 20000.0;
  c_least_ratio constant int := 100;
  c_most_rare constant int := 5;
  v_chunk_count bigint;
  v_word record;
  v_near record;
  v_is_applied boolean;
  v_count int;
  v_word_number int;
begin
  matched := query;
  corrections := '[]';
  if cardinality(query.absent_terms) = 0
     and (select min(d) from unnest(query.document_frequencies) d) > c_most_rare then
    return;
  end if;
  select s.chunk_count into v_chunk_count
  from braid_store.index_statistics(match_typos.tenant_id, match_typos.collection.id) s;

  for v_word in
    select w.*
    from (
      -- Compounds and their parts are identifiers, and so are words in capitals beside others.
      select distinct on (t.lexeme) t.lexeme, t.occurrence, t.clause_number,
             braid_store.token_lower(t.word) as word, t.word as written,
             (count(*) filter (where t.occurrence = 'should') over (partition by t.lexeme))::int as frequency,
             coalesce(query.document_frequencies[array_position(query.lexemes, t.lexeme)], 0) as document_frequency
      from (
        select t.*, count(*) over (partition by t.clause_number, t.position) as place_size,
               bool_or(t.written = braid_store.token_lower(t.written)) over () as has_lower,
               coalesce(btrim(t.written, E'!"()*,;<=>?[]^`{|}~''-/\\:.@&$¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–+%'),
                 t.lexeme) as word
        from unnest(match_typos.tokens) t
      ) t
      where t.kind = 'word' and t.token_kind = 'word' and t.occurrence <> 'must_not' and t.place_size = 1
        and length(t.word) <= 64
        and not (t.has_lower and substr(t.word, 2) <> braid_store.token_lower(substr(t.word, 2)))
      order by t.lexeme, t.occurrence desc, t.clause_number
    ) w
    where w.lexeme = any (query.absent_terms)
       or w.lexeme = any (query.lexemes)
          and w.document_frequency <= least(c_rare_share * v_chunk_count, c_most_rare)
          and match_typos.collection.typos = 'auto'
    order by w.clause_number
    limit c_most_words
  loop
    v_is_applied := match_typos.collection.typos = 'auto' and v_word.occurrence = 'should'
      and match_typos.match in ('any', '0%');
    v_count := 0;
    v_word_number := (select coalesce(max(n), 0) + 1 from unnest(matched.word_numbers) n);
    for v_near in
      select n.*, max(n.document_frequency) over () as term_frequency,
             case when left(n.written, 1) = left(v_word.word, 1) then 0.9 else 0.6 end as share
      from braid_store.near_lexemes(match_typos.tenant_id, match_typos.collection, v_word.word, v_word.lexeme,
                                    case when v_is_applied and v_word.document_frequency = 0 and query.lexemes <> '{}'
                                         then c_two_edits_beside_from else c_two_edits_from end) n
      where n.document_frequency >= c_least_ratio * v_word.document_frequency
      -- The word may be unfinished.
      order by n.written ^@ v_word.word desc, n.document_frequency desc, n.near_lexeme collate "C"
      limit case when v_is_applied then c_most_alternatives else 1 end
    loop
      corrections := corrections || jsonb_build_object(
        'word', left(v_word.written, 100), 'correction', v_near.written, 'lexeme', v_near.near_lexeme,
        'edits', v_near.edits, 'applied', v_is_applied);
      v_count := v_count + 1;
      continue when not v_is_applied or v_near.near_lexeme = any (matched.lexemes);
      -- To BM25 an alternative is a term of its own, so that the query stays one of plain words. It is as rare as the
      -- commonest alternative of its word.
      matched.lexemes := matched.lexemes || v_near.near_lexeme;
      matched.terms := matched.terms || v_near.near_lexeme;
      matched.term_numbers := matched.term_numbers || cardinality(matched.terms);
      matched.word_numbers := matched.word_numbers || v_word_number;
      matched.weights := matched.weights || v_near.share * v_word.frequency
        * braid_store.bm25_factor(match_typos.collection)
        * ln(1 + (v_chunk_count - v_near.term_frequency + 0.5::float8) / (v_near.term_frequency + 0.5::float8));
      matched.frequencies := matched.frequencies || v_word.frequency;
      matched.document_frequencies := matched.document_frequencies || v_near.term_frequency;
      matched.posting_count := matched.posting_count + v_near.document_frequency;
      -- An assignment beyond an array's end would move the array's first subscript.
      matched.shares := matched.shares || array_fill(
        null::float8, array[cardinality(matched.lexemes) - cardinality(matched.shares) - 1]) || v_near.share;
      if cardinality(matched.phrases) > 0 then
        matched.phrases := matched.phrases || null::text;
      end if;
    end loop;
    if v_is_applied and v_count > 0 then
      matched.absent_terms := array_remove(matched.absent_terms, v_word.lexeme);
    end if;
  end loop;
end
$$;

comment on function braid_store.match_typos(int, braid_store.collections, braid_store.query_token[], text,
                                            braid_store.text_query) is
  'Let misspelt words of a compiled query also match the indexed words that are spelt nearly so, if the collection''s '
  'typos is auto. Misspelt are words that no or hardly any chunk has. The query gets the near lexemes as further terms '
  'of less weight: three for each of at most five plain words. Demanded words get none, nor does any word with match '
  'all or a share. corrections: as JSON, what was matched for what, or could be (applied is false). Each correction is '
  'a guess of the spelling; written_word tells how texts write it.';
