create or replace function braid_store.written_word(
  request braid_store.search_request,
  lexeme text,
  typed_word text
)
returns text
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
  c_most_texts constant int := 3;
  c_most_edits constant int := 8; -- More edits are not counted.
  v_collection braid_store.collections := request.collection;
  v_query braid_store.text_query := braid_store.empty_query();
  v_texts text[];
  v_words text[];
begin
  v_query.lexemes := array[written_word.lexeme];
  v_query.weights := array[1];
  v_query.term_numbers := array[1];
  v_query.word_numbers := array[1];
  v_query.required_words := 1;
  v_query.average_length := (request.query).average_length;
  v_texts := array(
    select unnest(array[c.content, d.title])
    from braid_store.full_text_candidates(request.tenant_id, v_collection, v_query, request.filter, null,
                                          c_most_texts) t,
         unnest(t.candidates) f,
         lateral (
           select c.content, c.document_id from braid_store.chunks c
           where c.tenant_id = request.tenant_id and c.id between f.chunk_id and f.chunk_id
           order by c.id
           offset 0
         ) c,
         lateral (
           select d.title from braid_store.documents d
           where d.tenant_id = request.tenant_id and d.id between c.document_id and c.document_id
           order by d.id
           offset 0
         ) d);
  -- Words end at spaces, punctuation and digits.
  v_words := array(
    select distinct w.word collate "C"
    from unnest(v_texts) t (content),
         regexp_split_to_table(t.content, E'[\\u0001-@[-`{-~\\u00a0-¿،؛؟\\u2000-\\u206f]+') w (word));
  return (
    select w.word
    from braid_store.token_lexemes(v_words, v_collection.text_config, v_collection.fold_diacritics) l,
         lateral (select braid_store.token_lower(v_words[l.word_number]) as word offset 0) w
    where l.lexeme = written_word.lexeme and l.kind = 'word'
    order by braid_store.edit_distance(w.word, braid_store.token_lower(written_word.typed_word), c_most_edits),
      w.word collate "C"
    limit 1);
end
$$;

comment on function braid_store.written_word(braid_store.search_request, text, text) is
  'Return a lexeme, which may be only a stem, as a word to show: in lower case, as texts write it. Read the three '
  'best chunks with this lexeme that pass the request''s filter, and take the word at the fewest edits from '
  'typed_word. Return null if no word is found.';
