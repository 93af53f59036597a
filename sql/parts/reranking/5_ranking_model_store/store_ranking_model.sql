-- role: writer
-- example: braid.store_ranking_model(name => 'learned', model => '{"version": 1, "mode": "hybrid", "features":
--   ["score"], "weights": [2]}')
-- page: guide/learning-to-rank.md
create or replace function braid.store_ranking_model(name text, model jsonb)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.write_ranking_model(name, model);
$$;

comment on function braid.store_ranking_model(text, jsonb) is
  E'Store a ranking model of the session''s tenant, replacing an existing one of this name.\n'
  'name: the name by which the option ranking_model, or a collection by set_ranking, chooses it. model: an object '
  'with version (1), mode (hybrid, full_text or semantic), features (names), intercept, weights (one for each '
  'feature) and trees, as pgbraid learn writes it. If it has the key checksum, the checksum must match.\n'
  'Return true if the name is new.';
