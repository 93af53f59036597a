-- The option min_relevance of a search. No table and no view has this type.
-- depends: 0012.filter_candidates

alter type braid_store.search_options
    add attribute min_relevance text;
