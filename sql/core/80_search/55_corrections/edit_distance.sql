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
  v_width int := cardinality(v_second);
  v_before int[];
  v_last int[];
  v_row int[];
  v_best int;
  v_least int := 0;
  v_least_before int;
begin
  if abs(cardinality(v_first) - v_width) > most_edits then
    return null;
  end if;
  -- Element i + 1 of a row is the distance to the first i letters. Only places near the diagonal can be near enough.
  v_row := array(select generate_series(0, v_width));
  for v_line in 1 .. cardinality(v_first) loop
    v_before := v_last;
    v_last := v_row;
    v_row := array_fill(most_edits + 1, array[v_width + 1]);
    v_row[1] := v_line;
    v_least_before := v_least;
    v_least := v_line;
    for v_place in greatest(v_line - most_edits, 1) .. least(v_line + most_edits, v_width) loop
      v_best := least(v_last[v_place + 1] + 1, v_row[v_place] + 1,
                      v_last[v_place] + (v_first[v_line] <> v_second[v_place])::int);
      if v_line > 1 and v_place > 1 and v_first[v_line] = v_second[v_place - 1]
        and v_first[v_line - 1] = v_second[v_place] then
        v_best := least(v_best, v_before[v_place - 1] + 1);
      end if;
      v_row[v_place + 1] := v_best;
      v_least := least(v_least, v_best);
    end loop;
    -- An exchange of neighbours reaches back one row more.
    exit when least(v_least, v_least_before) > most_edits;
  end loop;
  return case when v_row[v_width + 1] <= most_edits then v_row[v_width + 1] end;
end
$$;

comment on function braid_store.edit_distance(text, text, int) is
  'Return how many edits turn one word into the other, or null for more than most_edits. An edit inserts, deletes or '
  'replaces a letter, or exchanges two neighbours (optimal string alignment; Damerau 1964).';
