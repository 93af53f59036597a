-- role: administrator
-- example: braid.finish_model_change(collection => 'moved')
-- page: guide/change-embedding-model.md
create or replace function braid.finish_model_change(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.step_model_change(finish_model_change.collection, 'finish');
$$;

comment on function braid.finish_model_change(text) is
  E'End a model change with the new model, after cut_over_model_change.\n'
  'From then on it cannot be rolled back. maintain() deletes the vectors of the old model. Only administrators may '
  'call it.';
