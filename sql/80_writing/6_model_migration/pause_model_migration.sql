create or replace function braid.pause_model_migration(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.change_migration(pause_model_migration.collection, 'pause');
$$;

comment on function braid.pause_model_migration(text) is
  'Stops a model migration before its cut-over: nothing is handed out or enqueued for the new model until '
  'resume_model_migration. Writes still go to both. For administrators.';
