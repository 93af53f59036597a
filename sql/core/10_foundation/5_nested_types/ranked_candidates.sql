create type braid_store.ranked_candidates as (
  fused braid_store.fused_candidate[],
  ranked braid_store.fused_candidate[],
  report jsonb,
  unseen float8,
  has_more boolean,
  spread jsonb
);

comment on type braid_store.ranked_candidates is
  'The candidates of all legs, best first. fused: all of them. ranked: candidates that reach min_score, after '
  'smoothing by neighbours and boosts. report: how they were fused. unseen: the highest fused score possible for a '
  'chunk that no leg proposed. report and unseen are null if nothing was fused. has_more: a leg stopped at its '
  'limit, and a chunk that it left out may reach min_score. spread: the scores gained from neighbours; null without '
  'smoothing.';
