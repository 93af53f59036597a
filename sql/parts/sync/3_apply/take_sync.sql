-- role: service
-- tenants: all
create or replace function braid_store.take_sync(synced_table_id int)
returns braid_store.synced_tables
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
  v_relation regclass;
  v_renamed jsonb;
  v_fields jsonb;
  v_storage jsonb;
  v_is_other boolean;
  v_renewed braid_store.synced_tables;
begin
  select s.* into v_synced
  from braid_store.synced_tables s
  where s.id = take_sync.synced_table_id
  for update skip locked;
  v_relation := braid_store.synced_relation(v_synced.id);
  if v_relation is null or v_synced.phase in ('lost', 'end') then
    return v_synced;
  end if;

  if v_relation::oid = v_synced.relation_id then
    -- A renamed column keeps its number.
    select jsonb_object_agg(n.key, a.attname) into v_renamed
    from jsonb_each(v_synced.columns) n
    join pg_attribute a on a.attrelid = v_relation and a.attnum = (n.value -> 0)::int and not a.attisdropped;
    v_fields := (
      select jsonb_object_agg(f.key, (
        select jsonb_agg(coalesce(v_renamed -> (c.value #>> '{}'), c.value) order by c.ordinality)
        from jsonb_array_elements(f.value) with ordinality c))
      from jsonb_each(v_synced.fields) f);
    -- A changed type, or a new column in the place of a dropped one, fires no trigger.
    v_is_other := array(select n.value from jsonb_each(v_synced.columns) n order by n.value)
                  <> array(select n.value from jsonb_each(braid_store.synced_columns(v_relation, v_fields)) n
                    order by n.value);
  else
    v_fields := v_synced.fields; -- a restore renumbers columns
    v_is_other := false;
  end if;
  if v_is_other and v_fields ? 'access' and v_synced.columns -> (v_synced.fields -> 'access' ->> 0)
       is distinct from braid_store.synced_columns(v_relation, v_fields) -> (v_fields -> 'access' ->> 0) then
    perform braid_store.close_rows(v_synced.id);
  end if;
  -- Take the state before reading: the next call sees whatever happens to the table after this.
  v_storage := braid_store.synced_storage(v_relation, v_fields);
  if v_storage ->> 'crash_mark' = 'none' then
    insert into braid_store.crash_marks default values;
    v_storage := braid_store.synced_storage(v_relation, v_fields);
  end if;
  v_is_other := v_is_other or braid_store.storage_has_changed(v_synced.storage, v_storage);
  update braid_store.synced_tables s
  set table_name = v_relation::text, relation_id = v_relation::oid, fields = v_fields, storage = v_storage,
      columns = braid_store.synced_columns(v_relation, v_fields),
      phase = case when v_is_other then 'backfill' else s.phase end,
      reached_key = case when v_is_other then null else s.reached_key end
  where s.id = v_synced.id
    and (v_relation::text, v_relation::oid, v_fields, braid_store.synced_columns(v_relation, v_fields), v_storage)
        is distinct from (s.table_name, s.relation_id, s.fields, s.columns, s.storage)
  returning * into v_renewed;
  if found then
    v_synced := v_renewed;
  end if;
  -- Columns may have new names or types.
  perform braid_store.write_note_function(v_synced, v_relation);
  return v_synced;
end
$$;

comment on function braid_store.take_sync(int) is
  'Lock the definition of a synced table and return it, with the current names of table and columns. Return nothing '
  'if another session has locked it.';
