create or replace function braid_store.forget_attributes()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_due braid_store.due_collections;
begin
  for v_due in
    select d.* from braid_store.due_collections d
    where d.noted_until is not null
      and not exists (
        select from braid_store.due_parts p
        -- A note for rebuild_index() may wait long, and has nothing to do with attributes.
        where p.collection_id = d.collection_id and p.task <> 'rebuild_index'
          and (p.id <= d.noted_until and p.awaits is null or p.task = 'index_attributes'))
    for update skip locked
  loop
    -- A writer that began before the removal may still add rows; its own note then makes a visit delete them. So keep
    -- the definition for a day.
    delete from braid_store.indexed_attributes a
    where a.collection_id = v_due.collection_id and a.removed_at < clock_timestamp() - interval '1 day'
      and not exists (select from braid_store.due_collections d
                      where d.collection_id = v_due.collection_id and d.noted_until is null);
    delete from braid_store.due_collections d
    where d.id = v_due.id
      and not exists (select from braid_store.indexed_attributes a
                      where a.collection_id = v_due.collection_id and a.removed_at is not null);
  end loop;
end
$$;

comment on function braid_store.forget_attributes() is
  'Delete the notes of changed collections whose parts have all been visited. Delete the definitions of attributes '
  'that were removed a day ago, because all their rows are deleted by then.';
