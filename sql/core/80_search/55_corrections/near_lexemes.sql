create or replace function braid_store.near_lexemes(
  tenant_id int,
  collection braid_store.collections,
  word text,
  lexeme text,
  two_edits_from int
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
  c_longest_rest constant int := 3;
  c_folds constant boolean := near_lexemes.collection.fold_diacritics;
  v_variants text[];
  v_at_start boolean;
  v_folded text := case when c_folds then braid_store.token_fold(c_word) else c_word end;
  v_letters text := v_folded || near_lexemes.lexeme;
  v_longest int := length(v_folded) + 2;
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(c_config);
  v_stems text[]; -- stems in the order of the variants
  v_is_stop_word boolean;
  v_has_several boolean;
  v_kept_variants text[]; -- variants with the same first letter, and their stems
  v_kept_stems text[];
  v_scanned text[]; -- The lexemes have the same first letter and nearly the same letters.
  v_found int;
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
    -- token_stem and token_lexemes would give the same stems of such plain words in two to four times the time. Only
    -- some dictionaries have several stems of a word.
    if v_dictionaries is not null then
      select array_agg(coalesce(s.stems[1], s.variant)), bool_or(s.stems = '{}'), bool_or(cardinality(s.stems) > 1)
      into v_stems, v_is_stop_word, v_has_several
      from (
        select v.variant,
               ts_lexize(v_dictionaries[case when octet_length(v.variant) = length(v.variant) then 1 else 2 end],
                         v.variant) as stems
        from unnest(v_variants) v (variant)
        offset 0
      ) s;
    end if;
    if v_has_several is not false then
      select array_agg(s.word), array_agg(s.stem), bool_or(s.is_stop_word)
      into v_variants, v_stems, v_is_stop_word
      from braid_store.token_stem(v_variants, c_config) s;
    end if;
    -- A word that is one letter from a stop word is probably that stop word.
    if v_is_stop_word then
      return;
    end if;
    if c_folds then
      v_stems := array(select case when octet_length(s.stem) > length(s.stem) then braid_store.token_fold(s.stem)
                                   else s.stem end
                       from unnest(v_stems) s (stem));
    end if;
    return query
    with found as materialized (
      select p.lexeme, sum(p.document_frequency)::bigint as document_frequency
      from (select distinct s.stem collate "C" as stem from unnest(v_stems) s (stem)) s,
           -- With = any, PostgreSQL 16 may read all lexemes.
           lateral (
             select p.lexeme, p.document_frequency
             from braid_store.postings p
             where p.tenant_id = near_lexemes.tenant_id and p.collection_id = near_lexemes.collection.id
               and p.lexeme = s.stem
             offset 0
           ) p
      where s.stem <> near_lexemes.lexeme
      group by p.lexeme
      having sum(p.document_frequency) > 0
    )
    select f.lexeme, v_variants[array_position(v_stems, f.lexeme)], 1, f.document_frequency
    from found f
    where near_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
      select braid_store.extend_hidden_lexemes(near_lexemes.tenant_id, near_lexemes.collection, array_agg(n.lexeme))
      from found n), '{}'));
    get diagnostics v_found = row_count;
    if v_found > 0 then
      return;
    elsif not v_at_start then
      v_kept_variants := v_variants;
      v_kept_stems := v_stems;
    end if;
  end loop;
  if c_length < near_lexemes.two_edits_from then
    return;
  end if;

  -- The index alone has the lexemes, in one row for each segment. Translating each row would take longest.
  v_scanned := array(
    select p.lexeme
    from (
      select distinct p.lexeme
      from braid_store.postings p
      where p.tenant_id = near_lexemes.tenant_id and p.collection_id = near_lexemes.collection.id
        and p.lexeme >= left(v_folded, 1) and p.lexeme < left(v_folded, 1) || chr(1114111)
        and length(p.lexeme) <= v_longest
        and length(p.lexeme) >= (
          select greatest(least(min(length(s.stem)) - 1, length(near_lexemes.lexeme) - 2,
                                length(v_folded) - c_longest_rest - 1), 4)
          from unnest(v_kept_stems) s (stem))
      offset 0
    ) p
    where p.lexeme <> near_lexemes.lexeme and length(translate(p.lexeme, v_letters, '')) <= 2);

  return query
  with forms as materialized (
    -- The word or its stem may differ from a lexeme by two edits. Or one edit is in the stem and one in the ending:
    -- then a variant has an ending, and its stem differs by one edit.
    select f.form, length(f.form) as size, 2 as edits, '' as ending
    from (values (v_folded), (near_lexemes.lexeme)) f (form)
    union
    select v.lexeme, length(v.lexeme), 1, substr(v.written, length(v.lexeme) + 1)
    from unnest(v_kept_stems, v_kept_variants) v (lexeme, written)
    where length(v.lexeme) between 4 and length(v.written) - 2
      -- If the word has an ending, its stem comes first, and other stems tell nothing more.
      and (starts_with(v_folded, v.lexeme) or length(near_lexemes.lexeme) > length(v_folded) - 2)
  ), near as materialized (
    select s.lexeme, min(f.ending) as ending
    from (select l.lexeme collate "C" as lexeme, length(l.lexeme) as size from unnest(v_scanned) l (lexeme)) s
    -- Each edit brings or takes one letter at most.
    join forms f on s.size between f.size - f.edits and f.size + f.edits
                    and length(translate(f.form, s.lexeme, '')) <= f.edits
                    and length(translate(s.lexeme, f.form, '')) <= f.edits
    where braid_store.edit_distance(s.lexeme, f.form, f.edits) is not null
    group by s.lexeme
  ), found as materialized (
    select n.lexeme, n.lexeme || n.ending as written, p.document_frequency
    from near n,
         lateral (
           select sum(p.document_frequency)::bigint as document_frequency
           from braid_store.postings p
           where p.tenant_id = near_lexemes.tenant_id and p.collection_id = near_lexemes.collection.id
             and p.lexeme = n.lexeme
           offset 0
         ) p
    where p.document_frequency > 0
  )
  select f.lexeme, f.written, 2, f.document_frequency
  from found f
  where near_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
    select braid_store.extend_hidden_lexemes(near_lexemes.tenant_id, near_lexemes.collection, array_agg(n.lexeme))
    from found n), '{}'));
  get diagnostics v_found = row_count;
  if v_found > 0 then
    return;
  end if;

  -- Both edits may be in the ending, so that no stem is near. Then the word begins nearly as the lexeme.
  return query
  with near as materialized (
    select s.lexeme, min(array[d.edits, r.rest]) as difference
    from generate_series(1, c_longest_rest) r (rest),
         lateral (select left(v_folded, -r.rest) as form offset 0) f,
         unnest(v_scanned) s (lexeme),
         lateral (select braid_store.edit_distance(s.lexeme, f.form, 1) as edits offset 0) d
    where length(s.lexeme) between length(f.form) - 1 and length(f.form) + 1
      and length(translate(f.form, s.lexeme, '')) <= 1 and length(translate(s.lexeme, f.form, '')) <= 1
      and d.edits is not null
    group by s.lexeme
  ), found as materialized (
    select n.lexeme collate "C" as lexeme, n.difference, p.document_frequency
    from near n,
         lateral (
           select sum(p.document_frequency)::bigint as document_frequency
           from braid_store.postings p
           where p.tenant_id = near_lexemes.tenant_id and p.collection_id = near_lexemes.collection.id
             and p.lexeme = n.lexeme
           offset 0
         ) p
    where p.document_frequency > 0
  ), shown as materialized (
    select f.*, rank() over (order by f.difference)
    from found f
    where near_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
      select braid_store.extend_hidden_lexemes(near_lexemes.tenant_id, near_lexemes.collection, array_agg(n.lexeme))
      from found n), '{}'))
  )
  select s.lexeme, s.lexeme || right(v_folded, s.difference[2]), 2, s.document_frequency
  from shown s
  where s.rank = 1;
end
$$;

comment on function braid_store.near_lexemes(int, braid_store.collections, text, text, int) is
  'Find the indexed lexemes of words that are spelt nearly as a given word, whose own lexeme is lexeme. written: the '
  'near word as it may be written. edits: how many edits lie between both words: 1, or 2 for a word of two_edits_from '
  'letters and more, and only if no word is one edit away. The first letter differs only if no word at one edit has '
  'the same. Return no rows for fewer than 4 or more than 64 letters, letters of several alphabets, and words one edit '
  'from a stop word. At one edit, all spellings are stemmed and looked up. At two, the lexemes with the same first '
  'letter are read, and compared if they have nearly the same letters. If none is near, the nearest to the '
  'beginning of the word are taken: at one edit at most, without its last one to three letters. Their edits are 2.';
