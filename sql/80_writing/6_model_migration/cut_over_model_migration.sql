create or replace function braid.cut_over_model_migration(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.change_migration(cut_over_model_migration.collection, 'cut_over');
$$;

comment on function braid.cut_over_model_migration(text) is
  'Makes searches use the new model of a model migration from their next statement on; every chunk that has a vector of the '
  'old model must have one of the new. Writes still go to both, so that roll_back_model_migration loses nothing. For '
  'administrators.';
