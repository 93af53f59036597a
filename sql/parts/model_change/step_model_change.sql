-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.step_model_change(collection text, action text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(step_model_change.collection);
  v_change braid_store.model_changes;
begin
  perform braid_store.require_read_committed(step_model_change.action || '_model_change');
  -- Lock the rows first: if another session holds them, this call must not make writers wait behind the lock below.
  v_collection := braid_store.lock_definition(v_collection);
  begin
    select m.* into v_change
    from braid_store.model_changes m
    where m.collection_id = v_collection.id
    for update;
  exception when lock_not_available then
    perform braid_store.raise_locked(
      format('the model change of collection "%s"', v_collection.name),
      braid_store.lock_holders('{braid_store.model_changes}', '{RowShareLock,RowExclusiveLock}'));
  end;
  if not found then
    raise exception 'collection "%" is in no model change', v_collection.name
      using errcode = '22023', hint = 'Start one with braid.start_model_change; see braid.model_changes.';
  elsif (step_model_change.action in ('pause', 'resume', 'cut_over')) = (v_change.state = 'cut_over')
        and step_model_change.action <> 'roll_back' then
    raise exception 'the model change of collection "%" is %', v_collection.name,
                    case v_change.state when 'cut_over' then 'cut over already' else 'not cut over yet' end
      using errcode = '22023',
            hint = case v_change.state when 'cut_over'
                        then 'End it with braid.finish_model_change or braid.roll_back_model_change.'
                        else 'Cut over with braid.cut_over_model_change, or give it up with '
                             'braid.roll_back_model_change.' end;
  end if;

  if step_model_change.action in ('pause', 'resume') then
    update braid_store.model_changes m
    set state = case step_model_change.action when 'pause' then 'paused' else 'filling' end
    where m.collection_id = v_collection.id;
    return;
  end if;

  -- Check once before taking the lock, so that a refusal makes no writer wait.
  if step_model_change.action = 'cut_over' then
    perform braid_store.require_embedded(v_change);
  end if;
  -- With this lock, all writers that read the old settings have ended. Waiting writers will read the new settings.
  perform braid_store.lock_collection(v_collection, 'share row exclusive');
  if step_model_change.action = 'cut_over' then
    perform braid_store.require_embedded(v_change);
    update braid_store.model_changes m
    set state = 'cut_over', cut_over_at = clock_timestamp(), from_storage = c.vector_storage
    from braid_store.collections c
    where m.collection_id = v_collection.id and c.id = v_collection.id;
    update braid_store.collections c
    set vector_space_id = v_change.to_space_id, vector_storage = v_change.to_storage
    where c.id = v_collection.id;
    perform braid_store.note_collection(v_collection.id);
    return;
  end if;

  if step_model_change.action = 'roll_back' and v_change.state = 'cut_over' then
    update braid_store.collections c
    set vector_space_id = v_change.from_space_id, vector_storage = v_change.from_storage
    where c.id = v_collection.id;
  end if;
  insert into braid_store.dropped_spaces (collection_id, vector_space_id, dropped_by)
  values (v_collection.id,
          case step_model_change.action when 'finish' then v_change.from_space_id else v_change.to_space_id end,
          pg_current_xact_id());
  delete from braid_store.model_changes m where m.collection_id = v_collection.id;
  perform braid_store.note_collection(v_collection.id);
end
$$;

comment on function braid_store.step_model_change(text, text) is
  'Take one step in a model change. action is pause, resume, cut_over, roll_back or finish. Searches that have begun '
  'keep the vector space that they began with; its vectors stay until no snapshot needs them.';
