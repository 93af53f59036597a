create or replace function braid_store.extend_task_model_change(task text, deadline timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_done record;
begin
  if task = 'enqueue_for_new_model' then
    v_done := braid_store.enqueue_for_new_model(deadline);
    return jsonb_build_object('chunks_enqueued', v_done.chunk_count, 'complete', v_done.is_complete);
  end if;
  return '{}';
end
$$;

comment on function braid_store.extend_task_model_change(text, timestamptz) is
  'Fill the outbox for the new model of each model change.';
