create or replace function braid_store.written_word(
  tenant_id int,
  collection braid_store.collections,
  lexeme text,
  near_word text
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
  v_query braid_store.text_query := braid_store.empty_query();
  v_texts text[];
begin
  v_query.lexemes := array[written_word.lexeme];
  v_query.weights := array[1];
  v_query.term_numbers := array[1];
  v_query.word_numbers := array[1];
  v_query.required_words := 1;
  select coalesce(sum(p.posting_count), 0) into v_query.posting_count
  from braid_store.postings p
  where p.tenant_id = written_word.tenant_id and p.collection_id = written_word.collection.id
    and p.lexeme = written_word.lexeme;
  v_query.average_length := braid_store.average_length(written_word.tenant_id, written_word.collection);

  v_texts := array(
    select unnest(array[c.content, d.title])
    from braid_store.full_text_candidates(written_word.tenant_id, written_word.collection, v_query,
                                          braid_store.no_filter(), null, 3) t,
         unnest(t.candidates) f,
         lateral (
           select c.content, c.document_id from braid_store.chunks c
           where c.tenant_id = written_word.tenant_id and c.id between f.chunk_id and f.chunk_id
           order by c.id
           offset 0
         ) c,
         lateral (
           select d.title from braid_store.documents d
           where d.tenant_id = written_word.tenant_id and d.id between c.document_id and c.document_id
           order by d.id
           offset 0
         ) d);
  return coalesce((
    select w.word
    from unnest(braid_store.make_snippets(v_texts, v_query.lexemes, '{}', written_word.collection.text_config,
                                          written_word.collection.fold_diacritics, E'\u0001', E'\u0002', 20, 1, ' ')) s,
         lateral (
           -- Punctuation is left out, and with it all characters that were escaped for HTML.
           select braid_store.token_lower(m[1]) as word from regexp_matches(s,
             E'\u0001([^\u0001\u0002 !-@[-`{-~]+)\u0002', 'g') m
         ) w
    group by w.word
    order by case when length(w.word) <= 64 then braid_store.edit_distance(w.word, written_word.near_word) end,
      count(*) desc,
             w.word collate "C"
    limit 1), written_word.lexeme);
end
$$;

comment on function braid_store.written_word(int, braid_store.collections, text, text) is
  'Return a word to show in place of a lexeme, which may be only a stem. It is the word nearest to near_word among '
  'the words of the tenant''s texts with this lexeme. Return the lexeme itself if no word is found.';
