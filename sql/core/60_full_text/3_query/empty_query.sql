create or replace function braid_store.empty_query()
returns braid_store.text_query
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return row(
    '{}', '{}', '{}', '{}', 0, -- lexemes, weights, term_numbers, word_numbers, required_words
    '{}', '{}', '{}', 0, 1, -- conditions, driver_lexemes, required_lexemes, posting_count, average_length
    '{}', '{}', '{}', '{}', '{}', -- document_frequencies, frequencies, terms, dropped_terms, absent_terms
    '{}', null, '{}') -- phrases, has_deletions, shares
    ::braid_store.text_query;
end
$$;

comment on function braid_store.empty_query() is 'Return a compiled query that ranks by nothing and demands nothing.';
