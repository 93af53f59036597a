-- Cross-tenant: owned by the owner role, as collections are defined for all tenants.
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
      using errcode = '22023', hint = 'Give a plain array of words.';
  elsif cardinality(replace_synonyms.synonyms) > 63 then
    raise exception 'synonyms has % words', cardinality(replace_synonyms.synonyms)
      using errcode = '22023', hint = 'Give at most 63, the most useful ones.';
  end if;

  v_words := replace_synonyms.word || replace_synonyms.synonyms;
  if (select max(octet_length(w)) from unnest(v_words) w) > c_max_bytes then
    raise exception 'a word or synonym has % bytes, more than %', (select max(octet_length(w)) from unnest(v_words) w),
                    c_max_bytes
      using errcode = '54000', hint = 'Give single words.';
  end if;
  -- A compound word gives lexemes of its parts at the same position. The longest lexeme of the whole word is taken.
  v_lexemes := array(
    select (
      select case when max(t.position) = 1
                  then (array_agg(t.lexeme order by t.kind in ('word', 'compound') desc, length(t.lexeme) desc,
                                                    t.lexeme collate "C")
                          filter (where t.kind <> 'stop_word'))[1]
             end
      from braid_store.tokenize(array[w.word], v_collection.text_config, v_collection.fold_diacritics) t
    )
    from unnest(v_words) with ordinality w (word, number)
    order by w.number);
  v_number := array_position(v_lexemes, null);
  if v_number is not null then
    raise exception '% is % and not one word', case v_number when 1 then 'word' else 'a synonym' end,
                    coalesce('''' || left(v_words[v_number], 255) || '''', 'null')
      using errcode = '22023',
            hint = 'Give words that take one place in a text: no phrases, no stop words, no punctuation by itself, and '
                   'none of a script without spaces, whose words are several places.';
  end if;

  select array_agg(s.word order by s.number), array_agg(s.lexeme order by s.number)
  into v_synonyms, v_synonym_lexemes
  from (
    select distinct on (o.lexeme) o.lexeme, o.word, o.number
    from unnest(v_words[2:], v_lexemes[2:]) with ordinality o (word, lexeme, number)
    where o.lexeme <> v_lexemes[1]
    order by o.lexeme, o.number
  ) s;

  -- Waits for a drop of the collection; 42704 if it has finished by then.
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
  'Does the work of braid.set_synonyms.';
