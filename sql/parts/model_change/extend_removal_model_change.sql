create or replace function braid_store.extend_removal_model_change(part text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- After removal, nothing would delete the vectors of the new model.
  perform braid_store.step_model_change(c.name, 'roll_back')
  from braid_store.model_changes m
  join braid_store.collections c on c.id = m.collection_id
  where extend_removal_model_change.part = 'model_change';
end
$$;

comment on function braid_store.extend_removal_model_change(text) is
  'Roll back all running model changes.';
