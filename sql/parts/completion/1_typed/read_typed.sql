create or replace function braid_store.read_typed(
  typed text,
  tenant_id int,
  collection braid_store.collections,
  out word text,
  out before text,
  out context text[],
  out is_unspaced boolean
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_words constant int := 4;
  v_ends text := E' \\t\\n\\r' || braid_store.phrase_ends();
  v_unspaced text := '[' || braid_store.script_letters('unspaced') || ']';
begin
  word := substring(typed from '[^' || v_ends || ']*$');
  is_unspaced := word ~ (v_unspaced || '$');
  if is_unspaced then
    word := substring(word from v_unspaced || '{1,8}$');
    -- If no text has two of the characters side by side, another word ends between them.
    word := substr(word, 1 + coalesce((
      select max(n) from generate_series(1, length(word) - 1) n
      where not exists (
        select from braid_store.postings p
        where p.tenant_id = read_typed.tenant_id and p.collection_id = read_typed.collection.id
          and p.lexeme = substr(word, n, 2)
          and (collection.parts is null
               or coalesce(braid_store.extend_hidden_lexemes(tenant_id, collection, array[p.lexeme]), '{}') = '{}'))),
      0));
  else
    -- Signs of the query language may stand before a word.
    word := ltrim(word, braid_store.word_signs());
  end if;
  before := left(typed, length(typed) - length(word));
  context := array(
    select w.word
    from regexp_matches(right(before, 200), '[^' || v_ends || ']+', 'g') with ordinality r (m, place),
         btrim(r.m[1], braid_store.word_signs()) w (word)
    where w.word <> ''
    order by r.place);
  context := context[greatest(1, cardinality(context) - c_most_words + 1):];
end
$$;

comment on function braid_store.read_typed(text, int, braid_store.collections) is
  'Take typed text apart. word: the unfinished word at its end, or an empty text. before: all that precedes it. '
  'context: the last words of before, at most four. is_unspaced: whether the word is in a script without spaces.';
