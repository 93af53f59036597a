create or replace function braid_store.compile_search(
  tenant_id int,
  collection braid_store.collections,
  query_text text,
  match text,
  is_reported boolean,
  is_corrected boolean,
  out query braid_store.text_query,
  out document_frequencies bigint[],
  out frequencies int[],
  out terms text[],
  out dropped_terms text[],
  out corrections jsonb,
  out absent_lexemes text[],
  out corrected_lexemes text[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  v_compiled record;
begin
  v_compiled := braid_store.compile_query(tenant_id, collection, query_text, match, '{}', '{}');
  corrections := '[]';
  absent_lexemes := '{}';
  corrected_lexemes := '{}';
  -- A correction can take 50 ms: only for who sees it.
  if v_compiled.absent_terms <> '{}' and (is_reported or is_corrected) then
    select array_agg(c.lexeme), array_agg(c.corrected_lexeme),
           jsonb_agg(jsonb_build_object('word', c.word, 'correction', c.correction, 'applied', is_corrected))
    into absent_lexemes, corrected_lexemes, corrections
    from braid_store.correct_words(tenant_id, collection, query_text, v_compiled.absent_terms) c;
    corrections := coalesce(corrections, '[]');
    if is_corrected and corrections <> '[]' then
      v_compiled := braid_store.compile_query(tenant_id, collection, query_text, match, absent_lexemes, corrected_lexemes);
    end if;
  end if;
  query := v_compiled.query;
  document_frequencies := v_compiled.document_frequencies;
  frequencies := v_compiled.frequencies;
  terms := v_compiled.terms;
  dropped_terms := v_compiled.dropped_terms;
end
$$;

comment on function braid_store.compile_search(int, braid_store.collections, text, text, boolean, boolean) is
  'A query text compiled, with what its words that occur nowhere may be meant for: as JSON and, in parallel, as lexemes. '
  'Those are searched instead if is_corrected.';
