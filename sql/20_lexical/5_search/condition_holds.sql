create or replace function braid_store.condition_holds(
  condition braid_store.query_condition,
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
as $$
declare
  v_places int[];
begin
  if condition.is_prefix then
    -- The first lexeme that is not below the prefix.
    return coalesce(starts_with(
      condition_holds.lexemes[width_bucket(condition.lexemes[1] collate "C", condition_holds.lexemes)
        + (condition.lexemes[1] <> all (condition_holds.lexemes))::int], condition.lexemes[1]), false);
  end if;
  v_places := array(
    select width_bucket(l.lexeme collate "C", condition_holds.lexemes)
    from unnest(condition.lexemes) with ordinality l (lexeme, place)
    order by l.place);
  for v_place in 1..cardinality(v_places) loop
    if v_places[v_place] = 0 or condition_holds.lexemes[v_places[v_place]] <> condition.lexemes[v_place] then
      return false;
    end if;
  end loop;
  if cardinality(v_places) = 1 then
    return true;
  end if;
  -- Where the first one stands, do the others stand as far behind?
  return exists (
    select
    from unnest(positions[coalesce(position_ends[v_places[1] - 1], 0) + 1 : position_ends[v_places[1]]]) p (place)
    where not exists (
      select
      from unnest(v_places, condition.offsets) o (place, distance)
      where (p.place + o.distance)::smallint
            <> all (positions[coalesce(position_ends[o.place - 1], 0) + 1 : position_ends[o.place]])));
end
$$;

comment on function braid_store.condition_holds(braid_store.query_condition, text[], smallint[], smallint[]) is
  'Whether a chunk, as its forward row describes it, has the lexemes of a condition at their distances.';
