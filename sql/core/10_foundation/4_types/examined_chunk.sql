create type braid_store.examined_chunk as (
  chunk_id bigint,
  full_text_score float8,
  semantic_score float8,
  fused_place int,
  ranked_place int,
  result_place int,
  sparse_score float8
);

comment on type braid_store.examined_chunk is
  'A chunk to be explained: its scores and, if it has them, its places among the fused candidates, the ranked '
  'candidates and the rows of a search.';
