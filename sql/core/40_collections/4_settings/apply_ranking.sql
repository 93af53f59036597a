-- role: administrator
-- example: braid.apply_ranking(collection => 'small', ranking => '{"k1": 3}', reason => 'try')
-- page: tuning.md#apply-a-ranking
create or replace function braid.apply_ranking(
  collection text,
  ranking jsonb,
  reason text,
  evaluation jsonb default null,
  expected_ranking jsonb default null
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.deploy_ranking(collection, ranking, reason, evaluation, expected_ranking);
$$;

comment on function braid.apply_ranking(text, jsonb, text, jsonb, jsonb) is
  E'Changes how a collection ranks, for all tenants and from the next search on, and keeps a version of it.\n'
  'ranking: an object of settings, such as {"fusion": "convex", "full_text_weight": 0.7}, with the names and values of set_ranking; '
  'null for no ranking_model, no sparse_encoder, or a b that follows the length of the chunks. Settings that are not given stay, '
  'but for the weights with another kind of fusion. To try it first, give it to searches as the option ranking: the scores are the same. '
  'reason: why, for whoever reads list_rankings. evaluation: what it rests on, such as the answer of tune, without texts of queries. '
  'expected_ranking: settings that the collection must still have, such as those that ranking was compared with; else it is refused. '
  'Returns the number of the '
  'version; that of the present one if nothing changes. restore_ranking undoes it. For administrators.';
