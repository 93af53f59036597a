create or replace function braid_store.token_stem(words text[], text_config text)
returns table (word text, stem text, is_stop_word boolean)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  v_config oid := braid_store.token_config(token_stem.text_config);
  v_ascii_dictionary regdictionary;
  v_other_dictionary regdictionary;
begin
  -- The parser's types asciiword (1) and word (2).
  select case when count(*) filter (where m.maptokentype = 1) = 1 and count(*) filter (where m.maptokentype = 2) = 1
           then max(m.mapdict) filter (where m.maptokentype = 1) end,
         max(m.mapdict) filter (where m.maptokentype = 2)
  into v_ascii_dictionary, v_other_dictionary
  from pg_ts_config_map m
  where m.mapcfg = v_config and m.maptokentype in (1, 2);

  if v_ascii_dictionary is not null then
    return query
    select r.word, coalesce(s.stem, r.word), r.stems = '{}' or coalesce(a.is_stop_word, false)
    from (
      select w.word,
        ts_lexize(case when octet_length(w.word) = length(w.word) then v_ascii_dictionary else v_other_dictionary end,
                  w.word) as stems
      from unnest(token_stem.words) as w (word)
    ) as r
    left join lateral unnest(r.stems) as s (stem) on true
    left join lateral (
      -- it's, don't: stop words where both sides are, since the lists hold "don" and "t"
      select bool_and(ts_lexize(v_ascii_dictionary, h.half) = '{}') as is_stop_word
      from string_to_table(r.word, '''') as h (half)
      where strpos(r.word, '''') > 0
    ) as a on true;
  else
    -- Several dictionaries in a row may filter, which only to_tsvector carries out.
    return query
    select w.word, coalesce(s.stem, w.word), s.stem is null
    from unnest(token_stem.words) as w (word)
    left join lateral unnest(tsvector_to_array(to_tsvector(v_config, w.word))) as s (stem) on true;
  end if;
end
$$;

comment on function braid_store.token_stem(text[], text) is
  'What the dictionaries of a text search configuration make of lower-case words: a stem (or several) or a stop word. '
  'A word that no dictionary knows is its own stem.';
