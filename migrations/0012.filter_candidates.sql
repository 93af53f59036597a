-- What a search finds out about its filter before its legs begin. No table and no view has these types.
-- depends: 0011.search_types

alter type braid_store.filter
    add attribute share float8,
    add attribute among bigint[];
comment on type braid_store.filter is
    'A filter as SQL. predicate: a condition on braid_store.chunks with the alias c. source: a query that uses an '
    'index and returns ids of chunks, each once, among them all that pass; null if there is none, and every chunk '
    'must be looked at. is_empty: every chunk passes, so that none has to be read. A search adds: share, about what '
    'share of the chunks passes; and among, if few pass: ids of chunks in ascending order, among them all that pass.';

alter type braid_store.found_candidates
    add attribute filter braid_store.filter,
    add attribute filter_ms float8;
comment on type braid_store.found_candidates is
    'What the legs of a search found, and how. is_cut: full text ended before it had scored all chunks that it might '
    'have found. filter: that of the request, with what was found out about it. filter_ms: the time that this took.';
