create or replace function braid_store.edit_distance(first_word text, second_word text, most_edits int)
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_first text[] := string_to_array(first_word, null);
  v_second text[] := string_to_array(second_word, null);
  v_length int := cardinality(v_first);
  v_width int := cardinality(v_second);
  v_last int := v_width - v_length;
  -- A diagonal is a place in the second word less a place in the first. For each, this is how many letters of the first
  -- word a number of edits can match at most (Ukkonen 1985; exchanges: Berghel & Roach 1996).
  v_farthest int[];
  v_before int[];
  v_start int;
  v_place int;
begin
  if abs(v_last) > most_edits then
    return null;
  end if;
  v_farthest := array_fill(null::int, array[2 * most_edits + 3], array[-most_edits - 1]);
  for v_edits in 0 .. most_edits loop
    v_before := v_farthest;
    -- From other diagonals, the edits that are left do not lead to the last diagonal.
    for v_diagonal in greatest(-v_edits, v_last - most_edits + v_edits)
                      .. least(v_edits, v_last + most_edits - v_edits) loop
      v_start := v_before[v_diagonal];
      v_place := least(greatest(v_before[v_diagonal - 1], v_start + 1, v_before[v_diagonal + 1] + 1, 0),
                       v_length, v_width - v_diagonal);
      if v_first[v_start + 1] = v_second[v_start + v_diagonal + 2]
        and v_first[v_start + 2] = v_second[v_start + v_diagonal + 1] then
        v_place := greatest(v_place, v_start + 2);
      end if;
      while v_first[v_place + 1] = v_second[v_place + v_diagonal + 1] loop
        v_place := v_place + 1;
      end loop;
      v_farthest[v_diagonal] := v_place;
    end loop;
    if v_farthest[v_last] = v_length then
      return v_edits;
    end if;
  end loop;
  return null;
end
$$;

comment on function braid_store.edit_distance(text, text, int) is
  'Return how many edits turn one word into the other, or null for more than most_edits. An edit inserts, deletes or '
  'replaces a letter, or exchanges two neighbours (optimal string alignment; Damerau 1964).';
