create or replace function braid_store.known_ranking_features()
returns text[]
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select '{full_text_score,full_text_normalised_score,full_text_reciprocal_rank,
           semantic_score,semantic_normalised_score,semantic_reciprocal_rank,
           sparse_score,sparse_normalised_score,sparse_reciprocal_rank,
           fused_score,score,reciprocal_rank,neighbour_score,document_candidate_count,
           word_match,title_match,log_token_count,recency,importance,query_term_count}'::text[];
$$;

comment on function braid_store.known_ranking_features() is
  'Return the names of the features that a ranking model may use, in the order of candidate_features.';
