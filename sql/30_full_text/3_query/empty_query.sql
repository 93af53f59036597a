create or replace function braid_store.empty_query()
returns braid_store.text_query
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_query braid_store.text_query;
begin
  v_query.lexemes := '{}';
  v_query.weights := '{}';
  v_query.term_numbers := '{}';
  v_query.word_numbers := '{}';
  v_query.required_words := 0;
  v_query.conditions := '{}';
  v_query.driver_lexemes := '{}';
  v_query.required_lexemes := '{}';
  v_query.posting_count := 0;
  return v_query;
end
$$;

comment on function braid_store.empty_query() is 'A compiled query that ranks by nothing and demands nothing.';
