create or replace function braid_store.sparse_words(query_text text)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- BERT reads 512 tokens, which are about 2,500 characters.
  c_most_characters constant int := 4096;
  c_most_words constant int := 512;
  c_longest_word constant int := 100;
  c_space constant text := E'\\u0001-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200f'
    '\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff';
  c_punctuation constant text := E'\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e\\u00a1'
                                 || E'\\u00a7\\u00ab\\u00b6\\u00b7\\u00bb\\u00bf'
                                 || E'\\u2010-\\u2027\\u2030-\\u205e\\u3001-\\u3003\\u3008-\\u3011\\u3014-\\u301f'
                                 || E'\\uff01-\\uff0f\\uff1a-\\uff20'
                                 || E'\\uff3b-\\uff40\\uff5b-\\uff65';
  c_ideographs constant text := E'\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\U00020000-\\U0002fa1f';
  v_text text := braid_store.token_lower(left(query_text, c_most_characters));
begin
  -- Split as the basic tokenizer of BERT's uncased models does: lower case, no accents, and one word for each sign and
  -- each ideograph. That tokenizer strips the combining marks of all scripts, not only these.
  v_text := regexp_replace(normalize(v_text, nfd) collate "C", E'[\\u0300-\\u036f]', '', 'g');
  return array(
    select w.word
    from (
      select m.match[1] as word, min(m.place) as place
      from regexp_matches(v_text collate "C", format('([%1$s%2$s]|[^%3$s%1$s%2$s]+)', c_punctuation, c_ideographs,
        c_space), 'g')
             with ordinality m (match, place)
      group by m.match[1]
    ) w
    where length(w.word) <= c_longest_word
    order by w.place
    limit c_most_words);
end
$$;

comment on function braid_store.sparse_words(text) is
  'Return the words of a query text that a sparse encoder splits into its terms, each once, in lower case and '
  'without accents. Only the first 4096 characters and 512 words of a long text count.';
