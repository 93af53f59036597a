create or replace function braid.finish_model_migration(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.change_migration(finish_model_migration.collection, 'finish');
$$;

comment on function braid.finish_model_migration(text) is
  'Ends a model migration with the new model, after the cut-over; maintain() deletes the vectors of the old one. For '
  'administrators.';
