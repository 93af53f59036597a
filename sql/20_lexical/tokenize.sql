create or replace function braid_store.tokenize(texts text[], text_config text, fold_diacritics boolean)
returns table (text_number int, "position" int, lexeme text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
as $$
begin
  return query
  with words as materialized (
    select s.text_number, generate_series(1, cardinality(s.words)) as ordinal, unnest(s.words) collate "C" as word
    from (
      select t.text_number, string_to_array(replace(replace(replace(t.text, e'\n', ' '), e'\r', ' '), e'\t', ' '), ' ') as words
      from (select generate_subscripts(tokenize.texts, 1) as text_number, unnest(tokenize.texts) as text) as t
    ) as s
  ), lexemes as materialized (
    select l.word, l.position_count, l.place, l.lexeme, l.kind
    from braid_store.token_lexemes(
      array(select distinct w.word from words w), tokenize.text_config, tokenize.fold_diacritics) as l
  ), shifts as (
    -- A word of one position needs no arithmetic; the rare others move what follows them.
    select s.text_number, s.ordinal,
      sum(s.position_count - 1) over (partition by s.text_number order by s.ordinal) as shift
    from (
      select w.text_number, w.ordinal, l.position_count
      from words w
      join (select distinct l.word, l.position_count from lexemes l where l.position_count <> 1) as l on l.word = w.word
    ) as s
  ), shift_table as materialized (
    select array_agg(s.text_number * 4294967296::bigint + s.ordinal + 1 order by s.text_number, s.ordinal) as starts,
      array_agg(s.shift::int order by s.text_number, s.ordinal) as shifts,
      array_agg(s.text_number order by s.text_number, s.ordinal) as text_numbers
    from shifts s
  )
  select w.text_number, w.ordinal + l.place + case when x.at > 0 and (select text_numbers from shift_table)[x.at] = w.text_number
     then (select shifts from shift_table)[x.at] else 0 end, l.lexeme, l.kind
  from words w
  join lexemes l on l.word = w.word
  cross join lateral (select coalesce(width_bucket(w.text_number * 4294967296::bigint + w.ordinal, (select starts from shift_table)), 0) as at) as x
  where l.lexeme is not null;
end
$$;
comment on function braid_store.tokenize(text[], text, boolean) is 'draft';
