create or replace function braid_store.pick_passages(
  starts int[],
  ends int[],
  step_count int,
  fragment_count int,
  fragment_words int
)
returns int4multirange
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_picks int[] := '{}';
  v_passages int4multirange := '{}';
  v_free int := 1;
  v_start int;
  v_pick int;
begin
  for v_index in 1..coalesce(cardinality(starts), 0) loop
    exit when cardinality(v_picks) = fragment_count;
    if not exists (select from unnest(v_picks) p where abs(starts[p] - starts[v_index]) < fragment_words) then
      v_picks := v_picks || v_index;
    end if;
  end loop;
  if cardinality(v_picks) = 0 then
    return int4multirange(int4range(1, fragment_words + 1));
  end if;

  foreach v_pick in array array(select p from unnest(v_picks) p order by starts[p]) loop
    v_start := starts[v_pick] - (fragment_words - 1 - (ends[v_pick] - starts[v_pick])) / 2;
    v_start := greatest(least(v_start, step_count + 1 - fragment_words), v_free);
    v_passages := v_passages + int4multirange(int4range(v_start, v_start + fragment_words));
    v_free := v_start + fragment_words;
  end loop;
  return v_passages;
end
$$;

comment on function braid_store.pick_passages(int[], int[], int, int, int) is
  'Choose the passages of one text to show, and return them as ranges of steps; a step is a segment that counts as a '
  'word. starts, ends: the first and the last matching step of each possible passage, best first. At most '
  'fragment_count passages are chosen, which do not overlap, and each is placed so that its matches are in the '
  'middle. If there are no matches, return the first fragment_words steps.';
