create or replace function braid_store.demands_hold(
  demands jsonb,
  lexemes text[],
  synonymous text[],
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
    from jsonb_to_recordset(demands_hold.demands) p (lexemes text[], offsets int[], is_excluded boolean)
    where case when p.offsets is null then not p.lexemes && (demands_hold.lexemes || demands_hold.synonymous)
               else p.is_excluded = exists (
      select
      from unnest(p.lexemes, p.offsets) with ordinality l (lexeme, distance, number),
           lateral (select width_bucket(l.lexeme collate "C", demands_hold.lexemes) as place offset 0) w,
           unnest(demands_hold.positions[coalesce(demands_hold.position_ends[w.place - 1], 0) + 1
                                         : demands_hold.position_ends[w.place]]) o (position)
      where demands_hold.lexemes[w.place] = l.lexeme
      group by o.position - l.distance
      having count(distinct l.number) = cardinality(p.lexemes)) end);
end
$$;

comment on function braid_store.demands_hold(jsonb, text[], text[], smallint[], smallint[]) is
  'Tell whether a chunk, given by its forward row, meets all of demands. A demand is an object. With offsets it is a '
  'phrase, as in query_condition, which the chunk must have, or must not have if is_excluded. Without offsets, the '
  'chunk must have one of its lexemes. synonymous: lexemes that count as if the chunk had them, except in phrases.';
