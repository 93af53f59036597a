create or replace function braid_store.is_plain(request braid_store.search_request)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (request.filter).is_empty
         and (request.legs = 'semantic'
              or cardinality((request.query).lexemes) > 0 and cardinality((request.query).conditions) = 0
                 and (request.query).required_words <= 1
                 and (request.legs = 'full_text'
                      or request.legs = 'hybrid' and (request.collection).fusion = 'convex'
                         and (request.options).full_text_normalisation = 'centroid'
                         and (request.options).semantic_normalisation = 'centroid'
                         and (request.collection).full_text_weight > 0 and (request.collection).semantic_weight > 0))
         and not ((request.options).is_rearranged or (request.options).explain or (request.options).exact
                  or request.has_deep_pages)
         and num_nonnulls(
               request.min_score, (request.options).ef_search, (request.options).full_text_min_score,
               (request.options).semantic_min_score, (request.options).min_relevance, (request.options).rank_by,
               (request.sparse).terms, request.parts, request.named_ids) = 0;
end
$$;

comment on function braid_store.is_plain(braid_store.search_request) is
  'Tell whether plain_candidates can run a search. It has one leg, or two in the default fusion, and neither a filter '
  'nor demands nor options that change how candidates are found.';
