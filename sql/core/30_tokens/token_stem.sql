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
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(token_stem.text_config);
  v_config regconfig;
begin
  if v_dictionaries is not null then
    return query
    with lexized as materialized (
      select w.word,
        ts_lexize(case when octet_length(w.word) = length(w.word) then v_dictionaries[1] else v_dictionaries[2] end,
          w.word) as stems
      from unnest(token_stem.words) as w (word)
    )
    select l.word, coalesce(l.stems[1], l.word),
      case
        when l.stems = '{}' then true
        -- it's and don't are stop words if both halves are: the lists contain "don" and "t".
        when strpos(l.word, '''') > 0 then (
          select bool_and(ts_lexize(v_dictionaries[1], h.half) = '{}')
          from string_to_table(l.word, '''') as h (half)
        )
        else false
      end
    from lexized l
    union all
    select l.word, s.stem, false from lexized l cross join lateral unnest(l.stems[2:]) as s (stem)
    where cardinality(l.stems) > 1;
  else
    v_config := braid_store.token_config(token_stem.text_config);
    -- If there are several dictionaries, one may be a filtering dictionary, which only to_tsvector supports.
    return query
    select w.word, coalesce(s.stem, w.word),
      s.stem is null and exists (
        select from pg_ts_config_map m
        where m.mapcfg = v_config and m.maptokentype in (1, 2) and ts_lexize(m.mapdict, w.word) = '{}'
      )
    from unnest(token_stem.words) as w (word)
    left join lateral unnest(tsvector_to_array(to_tsvector(v_config, w.word))) as s (stem) on true;
  end if;
end
$$;

comment on function braid_store.token_stem(text[], text) is
  'Return the stems of lower-case words by the dictionaries of a text search configuration: one or several stems, or '
  'a stop word. A word that no dictionary knows is its own stem.';
