create or replace function braid_store.extend_task_validity(task text, deadline timestamptz)
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
  if task <> 'expire_documents' then
    return '{}';
  end if;
  v_done := braid_store.expire_documents(deadline);
  return jsonb_build_object('documents_expired', v_done.document_count, 'complete', v_done.is_complete);
end
$$;

comment on function braid_store.extend_task_validity(text, timestamptz) is
  'Delete the documents that are due: the part''s task of maintenance.';
