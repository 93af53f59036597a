create or replace function braid_store.phrase_test(lexemes text[], offsets int[])
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format($test$
    case when not exists (select from unnest(%1$L::text[]) l where strpos(f.words, ' ' || l || ' ') = 0) then exists (
      select
      from (select string_to_array(f.lexemes, ' ') collate "C" as lexemes offset 0) w,
           lateral (select %2$s offset 0) t,
           lateral (select unnest(t.positions_1) as place) p
      where %3$s)
    else false end $test$,
    array(select distinct l from unnest(phrase_test.lexemes) l),
    -- The positions of the first eight lexemes are looked up once for each chunk. In a longer phrase they leave almost
    -- no places where the other lexemes must be looked up.
    string_agg(format('%s as positions_%s', s.positions, l.place), ', ' order by l.place) filter (where l.place <= 8),
    string_agg(format('p.place + %s = any (%s)', l.distance - phrase_test.offsets[1],
                      case when l.place <= 8 then format('t.positions_%s', l.place) else s.positions end),
               ' and ' order by l.place) filter (where l.place > 1))
  from unnest(phrase_test.lexemes, phrase_test.offsets) with ordinality l (lexeme, distance, place),
       lateral (
         select format('f.positions[coalesce(f.position_ends[%1$s - 1], 0) + 1 : f.position_ends[%1$s]]',
                       format('width_bucket(%L collate "C", w.lexemes)', l.lexeme)) as positions
       ) s;
$$;

comment on function braid_store.phrase_test(text[], int[]) is
  'Return an SQL test of whether a phrase occurs in a forward row f, for braid_store.demand_test: the lexemes stand '
  'in the chunk at the given offsets from each other. The test asks whether, for some position of the first lexeme, '
  'the other lexemes follow at the right distances.';
