create type braid_store.fused_candidate as (
  chunk_id bigint,
  score float8,
  full_text_score float8,
  full_text_normalised_score float8,
  full_text_rank int,
  semantic_score float8,
  semantic_normalised_score float8,
  semantic_rank int,
  fused_score float8,
  boosts jsonb,
  group_score float8,
  sparse_score float8,
  sparse_normalised_score float8,
  sparse_rank int
);

comment on type braid_store.fused_candidate is
  'A chunk after fusion: its score, and its score and rank in each leg.';
