-- The option min_relevance of a search. No table and no view has this type.
-- depends: 0013.duplicate_vectors

alter type braid_store.search_options
    add attribute min_relevance text;
