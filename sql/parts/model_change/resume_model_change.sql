-- role: administrator
-- example: braid.resume_model_change(collection => 'moving')
-- page: guide/change-embedding-model.md
create or replace function braid.resume_model_change(collection text)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.step_model_change(resume_model_change.collection, 'resume');
$$;

comment on function braid.resume_model_change(text) is
  E'Continue a paused model change.\n'
  'Only administrators may call it.';
