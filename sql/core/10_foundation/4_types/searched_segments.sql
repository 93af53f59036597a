create type braid_store.searched_segments as (
  segment_ids bigint[],
  scales float8[],
  block_width int,
  first_chunk_ids bigint[]
);

comment on type braid_store.searched_segments is
  'The segments that a full-text search reads, parallel to the factors (scales) that multiply their impacts. A '
  'segment''s number is its position here, from 1. block_width: how many chunk numbers are read of each block. '
  'first_chunk_ids: the id of the chunk with the number 1, if the following chunks have the following ids; else null.';
