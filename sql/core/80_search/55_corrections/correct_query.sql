create or replace function braid_store.correct_query(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  match text,
  query braid_store.text_query,
  is_corrected boolean,
  out corrected braid_store.text_query,
  out corrections jsonb
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
  v_absent_lexemes text[];
  v_corrected_lexemes text[];
begin
  corrected := query;
  select array_agg(c.lexeme), array_agg(c.corrected_lexeme),
         coalesce(jsonb_agg(jsonb_build_object('word', c.word, 'correction', c.correction, 'applied', is_corrected)),
           '[]')
  into v_absent_lexemes, v_corrected_lexemes, corrections
  from braid_store.correct_words(tenant_id, collection, tokens, query.absent_terms) c;
  if is_corrected and v_absent_lexemes <> '{}' then
    corrected := braid_store.compile_query(tenant_id, collection, tokens, match, v_absent_lexemes, v_corrected_lexemes);
  end if;
end
$$;

comment on function braid_store.correct_query(int, braid_store.collections, braid_store.query_token[], text,
                                              braid_store.text_query, boolean) is
  'Suggest corrections, as JSON, for the words of a compiled query that occur nowhere. If is_corrected, return the '
  'query with the corrected words; otherwise return the query unchanged.';
