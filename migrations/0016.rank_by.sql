-- The options rank_by and saturate_at of a search. No table and no view has this type.
-- depends: 0015.adaptive_ranking

alter type braid_store.search_options
    add attribute rank_by jsonb,
    add attribute saturate_at float8;
