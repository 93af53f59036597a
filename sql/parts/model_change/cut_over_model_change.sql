-- role: administrator
-- example: braid.cut_over_model_change(collection => 'moving')
-- page: guide/change-embedding-model.md
create or replace function braid.cut_over_model_change(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.step_model_change(cut_over_model_change.collection, 'cut_over');
$$;

comment on function braid.cut_over_model_change(text) is
  E'Make searches use the new model of a model change, from the next statement on.\n'
  'Raises 22023 unless every chunk that has a vector of the old model has one of the new. Write still go to both '
  'models, so roll_back_model_change loses nothing. Wait a few seconds at most for writers, then raises 55P03. For '
  'administrators.';
