create or replace function braid_store.extend_removal_permissions(part text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_table text;
begin
  if part <> 'permissions' then
    return;
  end if;
  if exists (select from braid_store.documents d where d.access_list_id is not null) then
    raise exception 'documents have access, and without the part everyone in their tenant could read them'
      using errcode = '0A000',
            hint = 'Delete these documents, or write them with "access": null, and then remove the part.';
  end if;
  foreach v_table in array '{documents,chunks,search_log,search_feedback}'::text[] loop
    if to_regclass(format('braid_store.%I', v_table)) is not null then
      execute format('drop policy if exists access on braid_store.%I', v_table);
    end if;
  end loop;
  alter table braid_store.documents drop column if exists access_list_id;
  alter table braid_store.chunks drop column if exists access_list_id;
  alter table braid_store.access_settings drop column if exists access_key;
end
$$;

comment on function braid_store.extend_removal_permissions(text) is
  'Drop the policies, the columns of documents and chunks, and the key. Raise 0A000 if a document has access.';
