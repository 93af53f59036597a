create or replace function braid_store.typed_patterns(
  word text,
  context text[],
  collection braid_store.collections,
  out start text,
  out heads text[],
  out skipped int,
  out is_after_stop_word boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_longest constant int := 100;
  v_words text[] := context;
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(collection.text_config);
  v_is_stop boolean[]; -- It says of the last two words, last first, whether they are stop words.
begin
  skipped := (word = '')::int;
  if skipped = 1 then
    start := braid_store.prefix_pattern(left(v_words[cardinality(v_words)], c_longest), collection.fold_diacritics)
             || E'(?=[ \\n])';
    v_words := trim_array(v_words, 1);
  else
    start := braid_store.prefix_pattern(word, collection.fold_diacritics);
  end if;
  v_is_stop := array(
    select coalesce(ts_lexize(v_dictionaries[case when octet_length(w) = length(w) then 1 else 2 end],
                              braid_store.token_lower(w)) = '{}', false)
    from unnest(v_words) with ordinality u (w, place) order by u.place desc limit 2);
  is_after_stop_word := v_is_stop[1];
  -- A single word before is too little if it is a stop word, and two are too many if the first of them is.
  heads := array(
    select E'(?:^|[ \\t\\n\\r' || braid_store.phrase_ends() || braid_store.word_signs() || '])' || h.pattern
           || E'[ \\n]+$'
    from generate_series(1, least(cardinality(v_words), 1 + (v_is_stop[1] or not v_is_stop[2])::int)) n,
         lateral (
           select string_agg(braid_store.prefix_pattern(left(w, c_longest), collection.fold_diacritics), E'[ \\n]+'
                             order by u.place) as pattern
           from unnest(v_words[cardinality(v_words) - n + 1:]) with ordinality u (w, place)
         ) h
    order by n);
end
$$;

comment on function braid_store.typed_patterns(text, text[], braid_store.collections) is
  'Return regular expressions for what read_typed() gives. start: the word or, if it is empty, the last word before. '
  'heads: texts that end in the last word before start, and in the last two. skipped: how many words of an occurrence '
  'were typed already. is_after_stop_word: whether the word before start is a stop word; null without one.';
