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
  phrases text[],
  has_deletions boolean,
  shares float8[]
);

comment on type braid_store.text_query is
  'A compiled query text, in the terms of a collection''s index. Parallel arrays, in the order of terms, describe '
  'each lexeme. Its weight is its frequency in the query × idf. To BM25, the lexemes of one term (term number) are '
  'one. A word number of 0 does not count for required_words, the number of words that must be there. '
  'document_frequencies: how many chunks have its term. frequencies: how often its term stands in the query. phrases '
  'is empty or parallel, too: for a synonym of several words, these words with spaces between them, whose rarest is '
  'the lexeme; else null. Every match has one of driver_lexemes, if there are any, and all of required_lexemes. '
  'terms are the names of the terms. dropped_terms were left out because there were too many. absent_terms are words '
  'that no chunk has. has_deletions: whether the index may hold deleted chunks, which have tombstones. shares is '
  'empty or parallel: the share of its idf with which a lexeme counts that stands for a misspelt word; else null.';
