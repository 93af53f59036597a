create or replace function braid_store.near_lexemes(
  tenant_id int,
  collection braid_store.collections,
  word text,
  lexeme text
)
returns table (near_lexeme text, written text, edits int, document_frequency bigint)
language plpgsql
stable
parallel unsafe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_word constant text := near_lexemes.word;
  c_length constant int := length(c_word);
  c_config constant text := near_lexemes.collection.text_config;
  c_folds constant boolean := near_lexemes.collection.fold_diacritics;
  v_variants text[];
  v_at_start boolean;
  v_found int;
  v_folded text;
begin
  if c_length not between 4 and 64 then
    return;
  end if;
  foreach v_at_start in array '{f,t}'::boolean[] loop
    -- First keep the first letter, which is seldom wrong (Pollock & Zamora 1984). Then try edits at the first letter.
    v_variants := braid_store.spelling_variants(c_word, not c_folds, v_at_start);
    if v_variants = '{}' then
      return;
    end if;
    return query
    with variants as materialized (
      -- token_lexemes would give the same lexemes of such plain words in twice the time.
      select v.lexeme, min(v.number) as number, bool_or(v.is_stop_word) as is_stop_word
      from (
        select case when c_folds and octet_length(s.stem) > length(s.stem) then braid_store.token_fold(s.stem)
                    else s.stem end as lexeme, s.is_stop_word, s.number
        from braid_store.token_stem(v_variants, c_config) with ordinality s (word, stem, is_stop_word, number)
      ) v
      where v.lexeme <> near_lexemes.lexeme
      group by v.lexeme
    ), found as materialized (
      select v.lexeme, v_variants[v.number] as written, p.document_frequency
      from variants v,
           lateral (
             select sum(p.document_frequency)::bigint as document_frequency
             from braid_store.postings p
             where p.tenant_id = near_lexemes.tenant_id and p.collection_id = near_lexemes.collection.id
               and p.lexeme = v.lexeme
             offset 0
           ) p
      -- A word that is one letter from a stop word is probably that stop word.
      where p.document_frequency > 0 and not exists (select from variants s where s.is_stop_word)
    )
    select f.lexeme, f.written, 1, f.document_frequency
    from found f
    where near_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
      select braid_store.extend_hidden_lexemes(near_lexemes.tenant_id, near_lexemes.collection, array_agg(n.lexeme))
      from found n), '{}'));
    get diagnostics v_found = row_count;
    if v_found > 0 then
      return;
    end if;
  end loop;
  if c_length < 8 then
    return;
  end if;

  v_variants := braid_store.spelling_variants(c_word, not c_folds, false);
  v_folded := case when c_folds then braid_store.token_fold(c_word) else c_word end;
  return query
  with forms as materialized (
    -- The word or its stem may differ from a lexeme by two edits. Or one edit is in the stem and one in the ending:
    -- then a variant has an ending, and its stem differs by one edit.
    select f.form, 2 as edits, '' as ending from (values (v_folded), (near_lexemes.lexeme)) f (form)
    union all
    select v.lexeme, 1, min(substr(v_variants[v.word_number], length(v.lexeme) + 1))
    from braid_store.token_lexemes(v_variants, c_config, c_folds) v
    where v.kind = 'word' and length(v.lexeme) between 4 and length(v_variants[v.word_number]) - 2
      -- If the word has an ending, its stem comes first, and other stems tell nothing more.
      and (starts_with(v_folded, v.lexeme) or length(near_lexemes.lexeme) > length(v_folded) - 2)
    group by v.lexeme
  ), parts as materialized (
    -- A lexeme has one of these parts of a form, whatever the edits are: with two edits a third, with one a half. An
    -- exchange of letters may damage both parts at a border, so the exchanged form is cut, too.
    select f.form, f.edits, f.ending,
           array(select distinct substr(x.form, 1 + i * x.size, case when i < f.edits then x.size else 255 end)
                 from (select f.form, z.size
                       union all
                       select overlay(f.form placing reverse(substr(f.form, e * z.size, 2)) from e * z.size for 2),
                              z.size
                       from generate_series(1, f.edits) e) x,
                      generate_series(0, f.edits) i) as parts
    from forms f, lateral (select length(f.form) / (f.edits + 1) as size offset 0) z
  ), scanned as materialized (
    select p.lexeme, sum(p.document_frequency)::bigint as document_frequency
    from braid_store.postings p
    where p.tenant_id = near_lexemes.tenant_id and p.collection_id = near_lexemes.collection.id
      and p.lexeme >= left(v_folded, 1) and p.lexeme < left(v_folded, 1) || chr(1114111)
      and length(p.lexeme) between 4 and length(v_folded) + 2 and length(translate(p.lexeme, v_folded, '')) <= 2
      and p.lexeme <> near_lexemes.lexeme
    group by p.lexeme
    having sum(p.document_frequency) > 0
  ), found as materialized (
    select s.lexeme, s.lexeme || min(f.ending) as written, s.document_frequency
    from scanned s
    join parts f on abs(length(s.lexeme) - length(f.form)) <= f.edits
                    and exists (select from unnest(f.parts) w (part) where strpos(s.lexeme, w.part) > 0)
    where braid_store.edit_distance(s.lexeme, f.form, f.edits) is not null
    group by s.lexeme, s.document_frequency
  )
  select f.lexeme, f.written, 2, f.document_frequency
  from found f
  where near_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
    select braid_store.extend_hidden_lexemes(near_lexemes.tenant_id, near_lexemes.collection, array_agg(n.lexeme))
    from found n), '{}'));
end
$$;

comment on function braid_store.near_lexemes(int, braid_store.collections, text, text) is
  'Find the indexed lexemes of words that are spelt nearly as a given word, whose own lexeme is lexeme. written: the '
  'near word as it may be written. edits: how many edits lie between both words: 1, or 2 from 8 letters on and only if '
  'no word is one edit away. The first letter differs only if no word at one edit has the same. Return no rows for '
  'fewer than 4 or more than 64 letters, letters of several alphabets, and words one edit from a stop word. At one '
  'edit, all spellings are stemmed and looked up. At two, the lexemes with the same first letter are read, and '
  'compared if they have a part of the word.';
