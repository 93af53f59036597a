create or replace function braid_store.enqueue_migrations(
  deadline timestamptz,
  out chunk_count bigint,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_migration braid_store.model_migrations;
  v_space braid_store.collections;
  v_tenants record;
  v_tenant_id int;
  v_batch record;
begin
  chunk_count := 0;
  is_complete := true;
  for v_migration in
    select m.* from braid_store.model_migrations m
    where m.state = 'filling' and not m.is_enqueued
    order by m.collection_id
    for update skip locked
  loop
    if v_migration.reached_tenant_id = 0 then
      -- A pass misses no chunk if it begins behind all writers who do not know of the migration: those who are at it
      -- from before were waited for at the start, and no snapshot from before is left to write by.
      continue when v_migration.is_last_pass is not null
                    and braid_store.has_older_snapshots(v_migration.started_by);
      v_migration.is_last_pass := not braid_store.has_older_snapshots(v_migration.started_by);
    end if;
    select c.* into strict v_space from braid_store.collections c where c.id = v_migration.collection_id;
    v_space.vector_space_id := v_migration.to_space_id;

    <<tenants>>
    loop
      -- With the one reached, of whose chunks some may be left.
      v_tenants := braid_store.tenants_with_rows(v_migration.collection_id, v_migration.reached_tenant_id - 1);
      exit when v_tenants.last_tenant_id is null;
      foreach v_tenant_id in array v_tenants.tenant_ids loop
        if v_tenant_id <> v_migration.reached_tenant_id then
          v_migration.reached_tenant_id := v_tenant_id;
          v_migration.reached_chunk_id := -9223372036854775808;
        end if;
        -- A part that is being cleared must get no jobs behind the back of that.
        if not braid_store.try_lock_part(v_space.id, v_tenant_id) then
          v_migration.is_last_pass := false;
          continue;
        end if;
        loop
          v_batch := braid_store.enqueue_chunks(v_tenant_id, v_space, v_migration.reached_chunk_id);
          chunk_count := chunk_count + v_batch.chunk_count;
          v_migration.is_last_pass := v_migration.is_last_pass and not v_batch.has_skipped;
          exit when v_batch.last_id is null;
          v_migration.reached_chunk_id := v_batch.last_id;
          -- Behind a batch, not before one: however little time merges leave, it gets on.
          exit tenants when clock_timestamp() > deadline;
        end loop;
      end loop;
      v_migration.reached_tenant_id := v_tenants.last_tenant_id + 1;
      v_migration.reached_chunk_id := -9223372036854775808;
      exit when clock_timestamp() > deadline;
    end loop;
    if v_tenants.last_tenant_id is not null then
      is_complete := false;
      update braid_store.model_migrations m
      set reached_tenant_id = v_migration.reached_tenant_id, reached_chunk_id = v_migration.reached_chunk_id,
          is_last_pass = v_migration.is_last_pass
      where m.collection_id = v_migration.collection_id;
      exit;
    end if;

    update braid_store.model_migrations m
    set reached_tenant_id = 0, reached_chunk_id = -9223372036854775808, is_last_pass = v_migration.is_last_pass,
        is_enqueued = v_migration.is_last_pass
    where m.collection_id = v_migration.collection_id;
  end loop;
end
$$;

comment on function braid_store.enqueue_migrations(timestamptz) is
  'Puts the chunks that were there before a model migration began into the outbox of its new space, of every tenant, in '
  'batches until the deadline, until a pass has missed none. Says how many, and whether there is more to do now.';
