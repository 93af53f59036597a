create or replace function braid_store.extend_removal_validity(part text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if part = 'validity' then
    drop index if exists braid_store.documents_expiry_idx;
    drop index if exists braid_store.documents_occurred_idx;
  end if;
end
$$;

comment on function braid_store.extend_removal_validity(text) is 'Drop the indexes of documents.';
