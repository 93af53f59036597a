create or replace function braid_store.drop_retired_shards(deadline timestamptz)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set lock_timeout = '200ms'
set enable_seqscan = off
as $$
declare
  -- Stop after this number of shards, because a dropped table stays locked until the transaction ends. maintain_parts
  -- has the same limit.
  c_most_shards constant int := 100;
  v_shard record;
  v_count int := 0;
begin
  for v_shard in
    select s.tenant_id, s.collection_id, s.vector_space_id, s.id
    from braid_store.vector_shards s
    where s.state = 'retired' and s.retired_by <> pg_current_xact_id()
      -- A session with an older snapshot may still read the shard, and a DROP ignores snapshots.
      and not exists (
        select from pg_stat_activity a
        where a.pid <> pg_backend_pid() and age(a.backend_xmin) >= age(s.retired_by::xid)
          -- A transaction id that this server has not given out yet came with a dump from another server.
          and s.retired_by < pg_current_xact_id()
          and (a.datid is null or a.datname = current_database()))
    for update skip locked
  loop
    begin
      execute format('drop table if exists braid_store.vectors_%s', v_shard.id);
      delete from braid_store.vector_shards s
      where s.tenant_id = v_shard.tenant_id and s.collection_id = v_shard.collection_id
        and s.vector_space_id = v_shard.vector_space_id and s.id = v_shard.id;
      v_count := v_count + 1;
    exception when lock_not_available then
      null; -- The next call tries again.
    end;
    exit when clock_timestamp() > drop_retired_shards.deadline or v_count = c_most_shards;
  end loop;
  return v_count;
end
$$;

comment on function braid_store.drop_retired_shards(timestamptz) is
  'Drop the retired shards that no snapshot can read any more, until the deadline or until 100 are dropped. Return '
  'the number of shards dropped.';
