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
  return not exists (
    select
    from jsonb_to_recordset(demands_hold.demands) d (required int, words jsonb, is_excluded boolean, conditions jsonb)
    where case when d.conditions is null then d.required > (
      select count(*)
      from jsonb_array_elements(d.words) w
      where exists (
        select
        from jsonb_array_elements_text(w.value) t (term),
             lateral (select rtrim(t.term, '*') collate "C" as lexeme offset 0) l
        where braid_store.has_lexeme(demands_hold.lexemes, l.lexeme, l.lexeme <> t.term)
           or braid_store.has_lexeme(demands_hold.synonymous, l.lexeme, false)))
    else d.is_excluded = exists (
      select
      from jsonb_to_recordset(d.conditions) c (lexemes text[], offsets int[], is_prefix boolean)
      where case when cardinality(c.lexemes) = 1
                 then braid_store.has_lexeme(demands_hold.lexemes, c.lexemes[1], c.is_prefix)
                 -- For each word and position, compute where the phrase would have to start, as in phrase_frequency.
                 else exists (
        select
        from unnest(c.lexemes, c.offsets) with ordinality l (lexeme, distance, number),
             lateral (select width_bucket(l.lexeme collate "C", demands_hold.lexemes) as place offset 0) w,
             unnest(demands_hold.positions[coalesce(demands_hold.position_ends[w.place - 1], 0) + 1
                                           : demands_hold.position_ends[w.place]]) o (position)
        where demands_hold.lexemes[w.place] = l.lexeme
        group by o.position - l.distance
        having count(distinct l.number) = cardinality(c.lexemes)) end) end);
end
$$;

comment on function braid_store.demands_hold(jsonb, text[], text[], smallint[], smallint[]) is
  'Tell whether a chunk, given by its forward row, meets all of demands. A demand is an object. With words, the chunk '
  'must have at least required of them: a word is an array of lexemes, any of which will do; an asterisk ends a '
  'prefix. With conditions, as in query_condition, the chunk must meet one of them, or none if is_excluded. '
  'synonymous: lexemes that count for words as if the chunk had them.';
