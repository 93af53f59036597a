create type braid_store.searched_segments as (
  segment_ids bigint[],
  scales float8[],
  block_width int
);

comment on type braid_store.searched_segments is
  'The segments that a full-text search reads, parallel to the factors (scales) that multiply their impacts. A '
  'segment''s number is its position here, from 1. block_width: how many chunk numbers are read of each block.';
