-- role: service
-- tenants: all
create or replace function braid_store.note_sync(
  synced_table_id int,
  phase text,
  reached_key jsonb,
  reached_tenant_id int,
  applied_count bigint,
  seconds float8,
  error text
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if note_sync.phase = 'follow' then
    -- All rows were read. End a dropped table of the same name, to delete its remaining documents.
    update braid_store.synced_tables o
    set phase = 'end', keeps_documents = false
    from braid_store.synced_tables s
    where s.id = note_sync.synced_table_id and s.phase = 'sweep' and o.id <> s.id and o.table_name = s.table_name
      and o.collection_id = s.collection_id and o.phase <> 'end' and braid_store.synced_relation(o.id) is null;
  end if;
  update braid_store.synced_tables s
  set phase = note_sync.phase, reached_key = note_sync.reached_key, reached_tenant_id = note_sync.reached_tenant_id,
      applied_count = s.applied_count + note_sync.applied_count,
      phase_count = case when s.phase = note_sync.phase then s.phase_count else 0 end + note_sync.applied_count,
      phase_seconds = case when s.phase = note_sync.phase then s.phase_seconds else 0 end + note_sync.seconds,
      last_error = left(note_sync.error, 1000)
  where s.id = note_sync.synced_table_id;
end
$$;

comment on function braid_store.note_sync(int, text, jsonb, int, bigint, float8, text) is
  'Record the progress of a synced table.';
