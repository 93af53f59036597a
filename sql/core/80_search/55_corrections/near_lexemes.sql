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
  v_folded text := case when c_folds then braid_store.token_fold(c_word) else c_word end;
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(c_config);
  v_stems text[]; -- stems in the order of the variants
  v_fewest_stems int; -- No variant has fewer stems.
  v_most_stems int; -- No variant has more stems.
  v_is_stop_word boolean := false; -- A variant is a stop word.
  v_keeps_stop_word boolean; -- A variant with the same first letter is a stop word.
  v_forms text[];
  v_form_edits int[]; -- More edits may not lie between the form and a lexeme.
  v_form_endings text[];
  v_shortest int; -- A near lexeme has no fewer letters.
  v_first int; -- This is the number of letters of the first piece.
  v_second int; -- This is the number of letters of the second piece.
  v_patterns text[];
  v_scanned text[]; -- The lexemes have the same first letter, and may be near.
  v_found int;
begin
  if c_length not between 4 and 64 then
    return;
  end if;
  v_variants := braid_store.spelling_variants(c_word, not c_folds);
  if v_variants = '{}' then
    return;
  end if;
  -- token_stem and token_lexemes would give the same stems of such plain words in two to four times the time. Only
  -- some dictionaries have several stems of a word.
  if v_dictionaries is not null then
    select array_agg(coalesce(s.stems[1], s.variant)), min(cardinality(s.stems)), max(cardinality(s.stems))
    into v_stems, v_fewest_stems, v_most_stems
    from (
      select v.variant,
             ts_lexize(v_dictionaries[case when octet_length(v.variant) = length(v.variant) then 1 else 2 end],
                       v.variant) as stems
      from unnest(v_variants) v (variant)
      offset 0
    ) s;
  end if;
  if (v_fewest_stems = 1 and v_most_stems = 1) is not true then
    -- If variants have the same stem, a variant with the same first letter comes first.
    select array_agg(s.word order by s.starts_otherwise, s.place),
           array_agg(s.stem order by s.starts_otherwise, s.place),
           bool_or(s.is_stop_word) filter (where not s.starts_otherwise), bool_or(s.is_stop_word)
    into v_variants, v_stems, v_keeps_stop_word, v_is_stop_word
    from (
      select t.*, left(t.word, 1) <> left(c_word, 1) as starts_otherwise, row_number() over () as place
      from braid_store.token_stem(v_variants, c_config) t
    ) s;
    -- A word that is one letter from a stop word is probably that stop word.
    if v_keeps_stop_word then
      return;
    end if;
  end if;
  if c_folds and octet_length(array_to_string(v_stems, '')) > length(array_to_string(v_stems, '')) then
    v_stems := array(select case when octet_length(s.stem) > length(s.stem) then braid_store.token_fold(s.stem)
                                 else s.stem end
                     from unnest(v_stems) s (stem));
  end if;
  return query
  with found as materialized (
    select l.lexeme, l.document_frequency, w.written, left(w.written, 1) <> left(c_word, 1) as starts_otherwise
    from braid_store.known_lexemes(near_lexemes.tenant_id, near_lexemes.collection.id, v_stems, left(v_folded, 2)) l,
         lateral (select v_variants[array_position(v_stems, l.lexeme)] as written offset 0) w
    where l.lexeme <> near_lexemes.lexeme
  ), shown as materialized (
    -- The first letter is seldom wrong (Pollock & Zamora 1984).
    select f.*, rank() over (order by f.starts_otherwise)
    from found f
    where near_lexemes.collection.parts is null or f.lexeme <> all (coalesce((
      select braid_store.extend_hidden_lexemes(near_lexemes.tenant_id, near_lexemes.collection, array_agg(n.lexeme))
      from found n), '{}'))
  )
  select s.lexeme, s.written, 1, s.document_frequency
  from shown s
  where s.rank = 1 and not (s.starts_otherwise and v_is_stop_word);
  get diagnostics v_found = row_count;
  if v_found > 0 or v_is_stop_word then
    return;
  end if;
  if c_length < near_lexemes.two_edits_from then
    return;
  end if;

  -- The word or its stem may differ from a lexeme by two edits. Or one edit is in the stem and one in the ending: then
  -- a variant has an ending, and its stem differs by one edit.
  select array_agg(f.form), array_agg(f.edits), array_agg(f.ending),
         greatest(least(min(length(f.form) - f.edits), length(v_folded) - c_longest_rest - 1), 4),
         min(length(f.form)) filter (where f.edits = 2)
  into v_forms, v_form_edits, v_form_endings, v_shortest, v_first
  from (
    select f.form, 2 as edits, '' as ending from (values (v_folded), (near_lexemes.lexeme)) f (form)
    union
    select v.lexeme, 1, substr(v.written, length(v.lexeme) + 1)
    from unnest(v_stems, v_variants) v (lexeme, written)
    where length(v.lexeme) between 4 and length(v.written) - 2 and left(v.written, 1) = left(c_word, 1)
      -- If the word has an ending, its stem comes first, and other stems tell nothing more.
      and (starts_with(v_folded, v.lexeme) or length(near_lexemes.lexeme) > length(v_folded) - 2)
  ) f;
  -- One edit leaves one of two pieces as it is, and two edits one of three, unless they exchange letters of two pieces.
  -- Most forms begin as the word does, so there are few patterns.
  v_second := (v_first + 1) / 3;
  v_first := (v_first + 2) / 3;
  v_patterns := array(
    select distinct p.pattern
    from (
      select translate(f.form, E'\\%', '__') as form, f.edits from unnest(v_forms, v_form_edits) f (form, edits)
      union all
      select left(v_folded, -r), 1 from generate_series(1, least(c_longest_rest, length(v_folded) - 3)) r
    ) f,
    lateral (
      select left(f.form, v_first) as first_piece, substr(f.form, v_first + 1, v_second) as second_piece,
             substr(f.form, v_first + 1) as others, substr(f.form, v_first + v_second + 1) as third_piece
      offset 0
    ) s,
    unnest(case f.edits when 1 then array[
      s.first_piece || '%',
      '%' || s.others,
      left(f.form, v_first - 1) || substr(f.form, v_first + 1, 1) || right(s.first_piece, 1) || '%']
    else array[
      s.first_piece || '%',
      '%' || s.second_piece || '%',
      '%' || s.third_piece,
      left(f.form, v_first - 1) || substr(f.form, v_first + 1, 1) || right(s.first_piece, 1) || '%',
      '%' || left(s.third_piece, 1) || right(s.second_piece, 1) || substr(s.third_piece, 2)] end) p (pattern));

  v_scanned := array(
    select l.lexeme
    from braid_store.lexemes_like(near_lexemes.tenant_id, near_lexemes.collection.id, left(v_folded, 1), v_patterns,
                                  v_shortest) l (lexeme)
    where l.lexeme <> near_lexemes.lexeme);

  return query
  with near as materialized (
    select s.lexeme, min(f.ending) as ending
    from (select l.lexeme collate "C" as lexeme, length(l.lexeme) as size from unnest(v_scanned) l (lexeme)) s
    join (select f.*, length(f.form) as size
          from unnest(v_forms, v_form_edits, v_form_endings) f (form, edits, ending)) f
      -- Each edit brings or takes one letter at most.
      on s.size between f.size - f.edits and f.size + f.edits
         and length(translate(f.form, s.lexeme, '')) <= f.edits
         and length(translate(s.lexeme, f.form, '')) <= f.edits
    where s.size >= v_shortest and braid_store.edit_distance(s.lexeme, f.form, f.edits) is not null
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
    where length(s.lexeme) between greatest(length(f.form) - 1, v_shortest) and length(f.form) + 1
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
  'letter are read, and compared if they share a piece with the word and have nearly the same letters. If none is '
  'near, the nearest to the beginning of the word are taken: at one edit at most, without its last one to three '
  'letters. Their edits are 2.';
