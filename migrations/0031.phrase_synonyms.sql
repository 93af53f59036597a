-- Synonyms of several words in a compiled query. No table and no view has this type.
-- depends: 0030.daily_sizes

alter type braid_store.text_query
    add attribute phrases text[];
comment on type braid_store.text_query is
    'A compiled query text, in the terms of a collection''s index. Parallel arrays, in the order of terms, give for '
    'each lexeme: its weight (times in the query × idf); the number of its term (to BM25, the lexemes of one term are '
    'one); the number of its word (0: it does not count for required_words, which is how many words must be there); '
    'how common its term is (document_frequencies); and how often that stands in the query (frequencies). phrases is '
    'parallel to them, too, or empty: for a synonym of several words these, with spaces between them, of which its lexeme is '
    'the rarest; else null. Every match has one of driver_lexemes, if there are any, and all of required_lexemes. terms are '
    'the names of the terms, dropped_terms those left out because there were too many, absent_terms the words that no '
    'chunk has.';
