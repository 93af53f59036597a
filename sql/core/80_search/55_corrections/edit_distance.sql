create or replace function braid_store.edit_distance(first_word text, second_word text)
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_first constant text[] := string_to_array(first_word, null);
  c_second constant text[] := string_to_array(second_word, null);
  c_width constant int := cardinality(c_second);
  v_before int[];
  v_last int[];
  v_row int[] := array(select generate_series(0, c_width));
  v_best int;
begin
  -- Element i + 1 of a row is the distance to the first i letters.
  for v_line in 1 .. cardinality(c_first) loop
    v_before := v_last;
    v_last := v_row;
    v_row := array[v_line];
    for v_place in 1 .. c_width loop
      v_best := least(v_last[v_place + 1] + 1, v_row[v_place] + 1,
                      v_last[v_place] + (c_first[v_line] <> c_second[v_place])::int);
      if v_line > 1 and v_place > 1 and c_first[v_line] = c_second[v_place - 1]
        and c_first[v_line - 1] = c_second[v_place] then
        v_best := least(v_best, v_before[v_place - 1] + 1);
      end if;
      v_row := v_row || v_best;
    end loop;
  end loop;
  return v_row[c_width + 1];
end
$$;

comment on function braid_store.edit_distance(text, text) is
  'Return how many edits turn one word into the other. An edit inserts, deletes or replaces a letter, or exchanges '
  'two neighbours (optimal string alignment). The time is proportional to the product of the lengths.';
