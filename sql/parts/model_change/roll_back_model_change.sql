-- role: administrator
-- example: braid.roll_back_model_change(collection => 'moving')
-- page: guide/change-embedding-model.md
create or replace function braid.roll_back_model_change(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.step_model_change(roll_back_model_change.collection, 'roll_back');
$$;

comment on function braid.roll_back_model_change(text) is
  E'End a model change with the old model, before or after the cut-over.\n'
  'Searches use the old model from their next statement on. maintain() deletes the vectors of the new model; a '
  'change that starts before that uses the vectors left. Only administrators may call it.';
