create or replace function braid_store.extend_installation_sync()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
  v_relation regclass;
begin
  for v_synced in select s.* from braid_store.synced_tables s order by s.id loop
    v_relation := braid_store.synced_relation(v_synced.id);
    if v_relation is not null then
      perform braid_store.write_note_function(v_synced, v_relation);
    end if;
  end loop;
end
$$;

comment on function braid_store.extend_installation_sync() is
  'Replace the functions that the triggers of synced tables call, because a new version may write other bodies.';
