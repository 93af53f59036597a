-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.replace_synonyms(word text, synonyms text[], collection text)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_bytes constant int := 1024;
  c_max_words constant int := 16;
  c_max_lexeme_bytes constant int := 2048; -- An entry of an index has room for 2700 bytes.
  v_collection braid_store.collections := braid_store.find_collection(replace_synonyms.collection);
  v_words text[];
  v_lexemes text[];
  v_synonyms text[];
  v_synonym_lexemes text[];
  v_number int;
begin
  if replace_synonyms.synonyms is null then
    raise exception 'synonyms is null' using errcode = '22023', hint = 'To remove them, give an empty array.';
  elsif array_ndims(replace_synonyms.synonyms) > 1 then
    raise exception 'synonyms has % dimensions', array_ndims(replace_synonyms.synonyms)
      using errcode = '22023', hint = 'Give a plain array of words and phrases.';
  elsif cardinality(replace_synonyms.synonyms) > 63 then
    raise exception 'synonyms has % words and phrases', cardinality(replace_synonyms.synonyms)
      using errcode = '22023', hint = 'Give at most 63, the most useful ones.';
  end if;

  v_words := replace_synonyms.word || replace_synonyms.synonyms;
  if (select max(octet_length(w)) from unnest(v_words) w) > c_max_bytes then
    raise exception 'a word or synonym has % bytes, more than %', (select max(octet_length(w)) from unnest(v_words) w),
                    c_max_bytes
      using errcode = '54000', hint = 'Give words and short phrases.';
  end if;
  v_lexemes := braid_store.phrase_lexemes(v_words, v_collection.text_config, v_collection.fold_diacritics);
  v_number := array_position(v_lexemes, null);
  if v_number is not null then
    raise exception '% is %, which no search finds', case v_number when 1 then 'word' else 'a synonym' end,
                    coalesce('''' || left(v_words[v_number], 255) || '''', 'null')
      using errcode = '22023', hint = 'Give words and phrases with a word that is not a stop word.';
  end if;
  v_number := (select min(l.number) from unnest(v_lexemes) with ordinality l (lexeme, number)
               where cardinality(string_to_array(l.lexeme, ' ')) > c_max_words
                     or octet_length(l.lexeme) > c_max_lexeme_bytes);
  if v_number is not null then
    raise exception '% has more than % words or % bytes of lexemes: ''%''',
                    case v_number when 1 then 'word' else 'a synonym' end, c_max_words, c_max_lexeme_bytes,
                    left(v_words[v_number], 255)
      using errcode = '54000',
        hint = 'Give shorter phrases. In scripts without spaces each character counts as a word.';
  end if;

  select array_agg(s.word order by s.number), array_agg(s.lexeme order by s.number)
  into v_synonyms, v_synonym_lexemes
  from (
    select distinct on (o.lexeme) o.lexeme, o.word, o.number
    from unnest(v_words[2:], v_lexemes[2:]) with ordinality o (word, lexeme, number)
    -- A phrase that contains the word or another synonym is found with it, and would count twice.
    where not exists (
      select from unnest(v_lexemes) with ordinality p (lexeme, number)
      where (p.lexeme <> o.lexeme or p.number = 1) and braid_store.phrase_contains(o.lexeme, p.lexeme))
    order by o.lexeme, o.number
  ) s;

  -- lock_definition waits for a concurrent drop of the collection, and raises 42704 once the drop has committed.
  v_collection := braid_store.lock_definition(v_collection);
  if v_synonyms is null then
    delete from braid_store.synonyms s where s.collection_id = v_collection.id and s.lexeme = v_lexemes[1];
  else
    insert into braid_store.synonyms (collection_id, lexeme, word, synonyms, synonym_lexemes)
    values (v_collection.id, v_lexemes[1], v_words[1], v_synonyms, v_synonym_lexemes)
    on conflict on constraint synonyms_pkey
    do update set word = excluded.word, synonyms = excluded.synonyms, synonym_lexemes = excluded.synonym_lexemes;
  end if;
  return coalesce(cardinality(v_synonyms), 0);
end
$$;

comment on function braid_store.replace_synonyms(text, text[], text) is
  'Do the work of braid.set_synonyms.';
