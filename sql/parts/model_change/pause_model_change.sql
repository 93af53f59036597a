-- role: administrator
-- example: braid.pause_model_change(collection => 'moving')
-- page: guide/change-embedding-model.md
create or replace function braid.pause_model_change(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.step_model_change(pause_model_change.collection, 'pause');
$$;

comment on function braid.pause_model_change(text) is
  E'Pause a model change before its cut-over: until resume_model_change, workers get no more jobs for the new model, '
  'and maintain() adds none.\n'
  'Chunks written in the meantime still wait for a vector of both models. Only administrators may call it.';
