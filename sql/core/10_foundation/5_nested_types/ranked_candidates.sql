create type braid_store.ranked_candidates as (
  fused braid_store.fused_candidate[],
  ranked braid_store.fused_candidate[],
  report jsonb,
  unseen float8,
  has_more boolean,
  spread jsonb
);

comment on type braid_store.ranked_candidates is
  'The candidates of all legs, best first. fused: all of them. ranked: those that reach min_score, with what neighbours '
  'share and with boosts. report: how they were fused. unseen: the highest fused score that a chunk which no leg proposed '
  'could get. Both are null if nothing was fused. has_more: a leg stopped at its limit, and what it left out may reach '
  'min_score. spread: what scores got from neighbours; null if they share none.';
