create or replace function braid_store.phrases_hold(
  phrases jsonb,
  lexemes text[],
  position_ends smallint[],
  positions smallint[]
)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  -- For each word and position, compute where the phrase would have to start, as in phrase_frequency.
  return not exists (
    select
    from jsonb_to_recordset(phrases_hold.phrases) p (lexemes text[], offsets int[], is_excluded boolean)
    where p.is_excluded = exists (
      select
      from unnest(p.lexemes, p.offsets) with ordinality l (lexeme, distance, number),
           lateral (select width_bucket(l.lexeme collate "C", phrases_hold.lexemes) as place offset 0) w,
           unnest(phrases_hold.positions[coalesce(phrases_hold.position_ends[w.place - 1], 0) + 1
                                         : phrases_hold.position_ends[w.place]]) o (position)
      where phrases_hold.lexemes[w.place] = l.lexeme
      group by o.position - l.distance
      having count(distinct l.number) = cardinality(p.lexemes)));
end
$$;

comment on function braid_store.phrases_hold(jsonb, text[], smallint[], smallint[]) is
  'Tell whether a chunk, given by its forward row, has all of phrases and none that is_excluded. A phrase is an object '
  'of lexemes and their offsets from each other, as in query_condition.';
