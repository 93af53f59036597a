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
  E'Make searches use the new embedding model of a model change, from the next statement on.\n'
  'Raise 22023 unless every chunk with a vector of the old model has one of the new model. Writes still go to both '
  'models, so roll_back_model_change loses nothing. The call waits a few seconds for writers, then raises 55P03. '
  'Only administrators may call it.';
