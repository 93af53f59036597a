create type braid_store.searched_segments as (
  segment_ids bigint[],
  scales float8[],
  block_width int
);

comment on type braid_store.searched_segments is
  'The segments that a full-text search reads, parallel to the factors by which their impacts are multiplied (scales). '
  'The number of a segment is its position here, from 1. block_width: how many chunk numbers are read of each block.';
