create or replace function braid_store.closest_word(
  tenant_id int,
  collection braid_store.collections,
  lexeme text,
  word text,
  out correction text,
  out corrected_lexeme text
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_word constant text := braid_store.token_lower(word);
  c_max_edits constant int := case when length(c_word) > 7 then 2 else 1 end;
  v_lexeme text;
  v_near text;
  v_written text;
  v_edits int;
  v_rank int;
  v_least_rank int;
begin
  -- The typed word may be nearer to a lexeme than its stem is: the stem of "proces" is "proce", one letter from
  -- "price".
  foreach v_lexeme in array case when c_word = lexeme then array[lexeme] else array[c_word, lexeme] end loop
    v_near := braid_store.closest_lexeme(tenant_id, collection.id, v_lexeme);
    continue when v_near is null or v_near = corrected_lexeme;
    v_written := braid_store.written_word(tenant_id, collection, v_near, c_word);
    -- The first letter of a word is seldom wrong (Pollock & Zamora 1984). If it differs from the first letter of the
    -- found word, the query's word is probably a name that the texts do not have.
    continue when v_written = c_word
                  or left(c_word, 1) not in (left(v_written, 1), substr(v_written, 2, 1))
                     and substr(c_word, 2, 1) <> left(v_written, 1);
    v_edits := braid_store.edit_distance(c_word, v_written);
    if v_edits > c_max_edits then
      -- The word may be unfinished, or the texts that were read may have other forms of the word.
      continue when length(lexeme) <= 5
                    or not v_written ^@ c_word
                       and (braid_store.edit_distance(lexeme, v_near) > 1
                            or braid_store.edit_distance(c_word, left(v_written, length(c_word))) > 2);
      v_edits := 2;
    end if;
    v_rank := 2 * v_edits - (v_written ^@ c_word)::int;
    if v_rank < coalesce(v_least_rank, v_rank + 1) then
      v_least_rank := v_rank;
      correction := v_written;
      corrected_lexeme := v_near;
    end if;
    exit when v_rank <= 1;
  end loop;
end
$$;

comment on function braid_store.closest_word(int, braid_store.collections, text, text) is
  'Find the word of the tenant''s texts that a misspelt word most likely stands for, and the lexeme of that word. '
  'lexeme, word: the misspelt word as analysed and as typed. Both are looked up, and the words found are compared in '
  'their written form. They may differ by one edit, or by two from eight letters on. A word that begins with the '
  'misspelt one is preferred. Return null if there is none.';
