create or replace function braid_store.term_statistics(
  collection braid_store.collections,
  query braid_store.text_query
)
returns table (
  term_number int,
  term text,
  lexemes text[],
  document_frequency bigint,
  idf float8,
  frequency int,
  weight float8
)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select q.term_number, term_statistics.query.terms[q.term_number],
         array_agg(coalesce(q.phrase, q.lexeme) order by coalesce(q.phrase, q.lexeme) collate "C"),
         q.document_frequency, q.weight / q.frequency / braid_store.bm25_factor(term_statistics.collection),
           q.frequency, q.weight
  from unnest(term_statistics.query.lexemes, term_statistics.query.weights, term_statistics.query.term_numbers,
              term_statistics.query.document_frequencies, term_statistics.query.frequencies,
              term_statistics.query.phrases)
         q (lexeme, weight, term_number, document_frequency, frequency, phrase)
  where q.term_number > 0 -- term 0 has lexemes that are demanded but do not count for the score
  group by q.term_number, q.document_frequency, q.weight, q.frequency
  order by q.term_number;
$$;

comment on function braid_store.term_statistics(braid_store.collections, braid_store.text_query) is
  'Return the terms that a compiled query ranks by, with their lexemes and phrases, the frequency of each term, and '
  'its weight.';
