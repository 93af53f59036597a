create or replace function braid_store.match_alternatives(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  match text,
  query braid_store.text_query,
  options jsonb,
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
  c_most_lexemes constant int := 64;
  v_found record;
  v_term text;
  v_place int; -- The lexeme stands behind this place of the arrays.
  v_is_new boolean;
  v_chunk_count bigint;
  v_frequency int;
begin
  matched := query;
  corrections := '[]';
  if match_alternatives.match not in ('any', '0%') then
    return;
  end if;
  for v_found in
    select a.* from braid_store.extend_alternatives(
      match_alternatives.tenant_id, match_alternatives.collection, match_alternatives.tokens, query,
      match_alternatives.options) a
  loop
    exit when cardinality(matched.lexemes) >= c_most_lexemes;
    continue when v_found.lexeme = any (matched.lexemes);
    corrections := corrections || jsonb_build_object(
      'word', left(v_found.word, 100), 'correction', v_found.written, 'lexeme', v_found.lexeme, 'edits', 0,
      'applied', true);
    v_term := case when v_found.share is null then v_found.query_lexeme else v_found.lexeme end;
    v_is_new := v_term <> all (matched.terms);
    if v_is_new then
      matched.terms := matched.terms || v_term;
      v_place := cardinality(matched.lexemes);
      v_frequency := (
        select count(*) from unnest(match_alternatives.tokens) t
        where t.lexeme = v_found.query_lexeme and t.occurrence = 'should');
      v_chunk_count := coalesce(v_chunk_count, (
        select s.chunk_count
        from braid_store.index_statistics(match_alternatives.tenant_id, match_alternatives.collection.id) s));
    else
      -- The arrays are in the order of terms.
      v_place := (
        select max(n.place)
        from unnest(matched.term_numbers) with ordinality n (term_number, place)
        where n.term_number = array_position(matched.terms, v_term));
    end if;
    matched.weights := matched.weights[:v_place]
      || case when v_is_new
              then coalesce(v_found.share, 1) * v_frequency
                   * braid_store.bm25_factor(match_alternatives.collection)
                   * ln(1 + (v_chunk_count - v_found.document_frequency + 0.5::float8)
                            / (v_found.document_frequency + 0.5::float8))
              else matched.weights[v_place] end
      || matched.weights[v_place + 1:];
    matched.document_frequencies := matched.document_frequencies[:v_place]
      || case when v_is_new then v_found.document_frequency else matched.document_frequencies[v_place] end
      || matched.document_frequencies[v_place + 1:];
    matched.frequencies := matched.frequencies[:v_place]
      || case when v_is_new then v_frequency else matched.frequencies[v_place] end
      || matched.frequencies[v_place + 1:];
    -- A part of a word counts for this word, unless no chunk has the word.
    matched.word_numbers := matched.word_numbers[:v_place]
      || case when v_is_new
              then coalesce(matched.word_numbers[array_position(matched.lexemes, v_found.query_lexeme)],
                            (select coalesce(max(n), 0) + 1 from unnest(matched.word_numbers) n))
              else matched.word_numbers[v_place] end
      || matched.word_numbers[v_place + 1:];
    matched.term_numbers := matched.term_numbers[:v_place] || array_position(matched.terms, v_term)
      || matched.term_numbers[v_place + 1:];
    matched.lexemes := matched.lexemes[:v_place] || v_found.lexeme || matched.lexemes[v_place + 1:];
    if cardinality(matched.phrases) > 0 then
      matched.phrases := matched.phrases[:v_place] || null::text || matched.phrases[v_place + 1:];
    end if;
    if cardinality(matched.shares) > v_place or v_found.share is not null then
      -- An assignment beyond an array's end would move the array's first subscript.
      matched.shares := matched.shares[:v_place]
        || array_fill(null::float8, array[greatest(v_place - cardinality(matched.shares), 0)]) || v_found.share
        || matched.shares[v_place + 1:];
    end if;
    matched.posting_count := matched.posting_count + v_found.document_frequency;
    matched.absent_terms := array_remove(matched.absent_terms, v_found.query_lexeme);
  end loop;
end
$$;

comment on function braid_store.match_alternatives(int, braid_store.collections, braid_store.query_token[], text,
                                                   braid_store.text_query, jsonb) is
  'Let words of a compiled query also match the lexemes that parts give for them (extend_alternatives), unless match '
  'asks for all words or a share. A query has at most 64 lexemes with them. corrections: as JSON, what was matched '
  'for what; edits is 0.';
