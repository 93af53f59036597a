create type braid_store.arrangement as (
  arranged braid_store.fused_candidate[],
  passages int4range[],
  missing_count int,
  has_more boolean,
  last_unit int,
  last_score float8
);

comment on type braid_store.arrangement is
  'The candidates that are shown, in order, and parallel to them their passages, as ranges of chunk_index. '
  'missing_count: how many rows or groups are missing. For pages: has_more tells whether there is a next page; '
  'last_unit is where the last row or group of this page begins; last_score is its score.';
