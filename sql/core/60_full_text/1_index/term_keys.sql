create or replace function braid_store.term_keys(lexemes text[])
returns bigint[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  -- With 55 bits, a chunk of 100 lexemes seems to have a lexeme that it lacks once in 3 * 10 ^ 14 tests.
  return array(
    select case when not starts_with(l.lexeme, '=')
                then (hashtextextended(l.lexeme collate "C", 0) & 36028797018963967)
                     * (braid_store.max_frequency() + 1) end
    from unnest(term_keys.lexemes) with ordinality l (lexeme, place)
    order by l.place);
end
$$;

comment on function braid_store.term_keys(text[]) is
  'Return the keys by which forward_rows.terms is searched for lexemes: a hash of 55 bits, then 8 zeros. Stop words, '
  'which begin with "=", have no keys but null, because nearly all chunks have them and few queries search them.';
