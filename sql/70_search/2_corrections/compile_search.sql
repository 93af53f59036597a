create or replace function braid_store.compile_search(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  match text,
  is_reported boolean,
  is_corrected boolean,
  out query braid_store.text_query,
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
  query := braid_store.compile_query(tenant_id, collection, tokens, match, '{}', '{}');
  corrections := '[]';
  -- A correction can take 50 ms, so it is looked for only if it is shown or used.
  if query.absent_terms <> '{}' and (is_reported or is_corrected) then
    select array_agg(c.lexeme), array_agg(c.corrected_lexeme),
           coalesce(jsonb_agg(jsonb_build_object('word', c.word, 'correction', c.correction, 'applied', is_corrected)), '[]')
    into v_absent_lexemes, v_corrected_lexemes, corrections
    from braid_store.correct_words(tenant_id, collection, tokens, query.absent_terms) c;
    if is_corrected and v_absent_lexemes <> '{}' then
      query := braid_store.compile_query(tenant_id, collection, tokens, match, v_absent_lexemes, v_corrected_lexemes);
    end if;
  end if;
end
$$;

comment on function braid_store.compile_search(int, braid_store.collections, braid_store.query_token[], text, boolean,
                                               boolean) is
  'Compiles a query, and suggests corrections for its words that occur nowhere, as JSON. is_reported: the corrections '
  'are shown to the caller. is_corrected: the corrected words are searched for instead. If both are false, it looks '
  'for no corrections.';
