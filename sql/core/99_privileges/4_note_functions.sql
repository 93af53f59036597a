-- What the triggers of synced tables call is written by a function, which may be another one now.
do $$
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
