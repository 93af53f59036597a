-- Cross-tenant: owned by the owner role, as collections are defined for all tenants.
create or replace function braid_store.change_migration(collection text, action text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(change_migration.collection);
  v_migration braid_store.model_migrations;
begin
  perform braid_store.require_read_committed(change_migration.action || '_model_migration');
  -- Rows first: if another session holds them, this call must not make writers wait behind the lock below.
  v_collection := braid_store.lock_definition(v_collection);
  begin
    select m.* into v_migration
    from braid_store.model_migrations m
    where m.collection_id = v_collection.id
    for update;
  exception when lock_not_available then
    perform braid_store.raise_locked(
      format('the model migration of collection "%s"', v_collection.name),
      braid_store.lock_holders('{braid_store.model_migrations}', '{RowShareLock,RowExclusiveLock}'));
  end;
  if not found then
    raise exception 'collection "%" is in no model migration', v_collection.name
      using errcode = '22023', hint = 'Start one with braid.start_model_migration; see braid.model_migrations.';
  elsif (change_migration.action in ('pause', 'resume', 'cut_over')) = (v_migration.state = 'cut_over')
        and change_migration.action <> 'roll_back' then
    raise exception 'the model migration of collection "%" is %', v_collection.name,
                    case v_migration.state when 'cut_over' then 'cut over already' else 'not cut over yet' end
      using errcode = '22023',
            hint = case v_migration.state when 'cut_over'
                        then 'End it with braid.finish_model_migration or braid.roll_back_model_migration.'
                        else 'Cut over with braid.cut_over_model_migration, or give it up with '
                             'braid.roll_back_model_migration.' end;
  end if;

  if change_migration.action in ('pause', 'resume') then
    update braid_store.model_migrations m
    set state = case change_migration.action when 'pause' then 'paused' else 'filling' end
    where m.collection_id = v_collection.id;
    return;
  end if;

  -- Checks once before it takes the lock, so that a refusal makes no writer wait.
  if change_migration.action = 'cut_over' then
    perform braid_store.require_embedded(v_migration);
  end if;
  -- Once this is locked, all writers who read the old settings are done. Those who wait will read the new ones.
  perform braid_store.lock_collection(v_collection, 'share row exclusive');
  if change_migration.action = 'cut_over' then
    perform braid_store.require_embedded(v_migration);
    update braid_store.model_migrations m
    set state = 'cut_over', cut_over_at = clock_timestamp(), from_storage = c.vector_storage
    from braid_store.collections c
    where m.collection_id = v_collection.id and c.id = v_collection.id;
    update braid_store.collections c
    set vector_space_id = v_migration.to_space_id, vector_storage = v_migration.to_storage
    where c.id = v_collection.id;
    perform braid_store.note_collection(v_collection.id);
    return;
  end if;

  if change_migration.action = 'roll_back' and v_migration.state = 'cut_over' then
    update braid_store.collections c
    set vector_space_id = v_migration.from_space_id, vector_storage = v_migration.from_storage
    where c.id = v_collection.id;
  end if;
  insert into braid_store.dropped_spaces (collection_id, vector_space_id, dropped_by)
  values (v_collection.id,
          case change_migration.action when 'finish' then v_migration.from_space_id else v_migration.to_space_id end,
          pg_current_xact_id());
  delete from braid_store.model_migrations m where m.collection_id = v_collection.id;
  perform braid_store.note_collection(v_collection.id);
end
$$;

comment on function braid_store.change_migration(text, text) is
  'Takes one step in a model migration. action: pause, resume, cut_over, roll_back or finish. Searches that have begun '
  'go on with the vector space that they began with; its vectors stay until no snapshot needs them.';
