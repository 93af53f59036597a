create or replace function braid_store.query_keys(query braid_store.text_query)
returns bigint[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    -- Terms are numbered from 1, so the last number tells whether each term has one lexeme.
    when cardinality(query_keys.query.phrases) = 0
         and query_keys.query.term_numbers[cardinality(query_keys.query.lexemes)]
             = cardinality(query_keys.query.lexemes)
    then (select case when array_position(k.keys, null) is null then k.keys end
          from (select braid_store.term_keys(query_keys.query.lexemes) as keys offset 0) k) end;
end
$$;

comment on function braid_store.query_keys(braid_store.text_query) is
  'Return the keys of a query''s lexemes, to score chunks by forward_rows.terms. They are null if terms have several '
  'lexemes or phrases, or if a lexeme is a stop word: then braid_store.general_scores must score the chunks.';
