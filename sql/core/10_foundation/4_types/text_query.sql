create type braid_store.text_query as (
  lexemes text[],
  weights float8[],
  term_numbers int[],
  word_numbers int[],
  required_words int,
  conditions braid_store.query_condition[],
  driver_lexemes text[],
  required_lexemes text[],
  posting_count bigint,
  average_length float8,
  document_frequencies bigint[],
  frequencies int[],
  terms text[],
  dropped_terms text[],
  absent_terms text[],
  phrases text[]
);

comment on type braid_store.text_query is
  'A compiled query text, in the terms of a collection''s index. Parallel arrays, in the order of terms, give for each '
  'lexeme: its weight (times in the query × idf); the number of its term (to BM25, the lexemes of one term are one); the '
  'number of its word (0: it does not count for required_words, which is how many words must be there); how common its '
  'term is (document_frequencies); and how often that stands in the query (frequencies). phrases is parallel to them, '
  'too, or empty: for a synonym of several words these, with spaces between them, of which its lexeme is the rarest; else '
  'null. Every match has one of driver_lexemes, if there are any, and all of required_lexemes. terms are the names of the '
  'terms, dropped_terms those left out because there were too many, absent_terms the words that no chunk has.';
