create or replace function braid_store.hide_lexemes(
  inout query braid_store.text_query,
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  match text
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_rounds constant int := 8;
  v_found text[];
  v_hidden text[] := '{}';
begin
  -- A prefix that loses words gets others, of which some may be hidden, too.
  for v_round in 1..c_most_rounds loop
    v_found := braid_store.extend_hidden_lexemes(
      hide_lexemes.tenant_id, hide_lexemes.collection, (hide_lexemes.query).lexemes);
    exit when coalesce(cardinality(v_found), 0) = 0;
    v_hidden := v_hidden || v_found;
    query := braid_store.compile_query(hide_lexemes.tenant_id, hide_lexemes.collection, hide_lexemes.tokens,
                                       hide_lexemes.match, v_hidden);
  end loop;
end
$$;

comment on function braid_store.hide_lexemes(braid_store.text_query, int, braid_store.collections,
                                             braid_store.query_token[], text) is
  'Compile a query again without the lexemes that the session may not learn of, as if the index had none of them. '
  'tokens and match: as the query was compiled.';
