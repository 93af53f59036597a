create or replace function braid_store.phrase_contains(phrase text, part text)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_first_unspaced constant int := 3584; -- Thai, after which come all scripts without spaces
  v_last text := right(phrase_contains.part, 1);
begin
  -- The last bigram of an unspaced run is followed by its last character: 東京 京. In a longer run another bigram begins
  -- with that character: 東京 京都 都.
  return strpos(
    ' ' || phrase_contains.phrase || ' ',
    ' ' || phrase_contains.part
        || case when ascii(v_last) >= c_first_unspaced and phrase_contains.part like '%_' || v_last || ' ' || v_last
                then '' else ' ' end) > 0;
end
$$;
comment on function braid_store.phrase_contains(text, text) is
  'Tell whether a word or phrase contains another one, both given as returned by braid_store.phrase_lexemes. If so, '
  'every text with the first contains the second.';
