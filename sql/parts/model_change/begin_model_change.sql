-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.begin_model_change(
  collection text,
  embedding_model text,
  dimensions int,
  distance text,
  vector_storage text
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_collection braid_store.collections;
  v_new braid_store.collections;
  v_old braid_store.vector_spaces;
  v_new_id int;
begin
  v_collection := braid_store.find_collection(collection);
  perform braid_store.require_read_committed('start_model_change');
  select s.* into strict v_old from braid_store.vector_spaces s where s.id = v_collection.vector_space_id;
  distance := coalesce(distance, v_old.distance);
  vector_storage := coalesce(
    vector_storage,
    case when v_collection.vector_storage = 'vector' and dimensions > 2000
              or v_collection.vector_storage = 'halfvec' and dimensions > 4000
         then braid_store.default_vector_storage(dimensions) else v_collection.vector_storage end);
  v_new := v_collection;
  v_new.vector_storage := vector_storage;
  perform braid_store.check_collection(v_new, dimensions, distance, embedding_model);

  -- Lock the row first: if another session holds it, this call must not make writers wait behind the lock below.
  v_collection := braid_store.lock_definition(v_collection);
  if exists (select from braid_store.model_changes m where m.collection_id = v_collection.id) then
    raise exception 'collection "%" is in a model change already', v_collection.name
      using errcode = '22023',
            hint = braid_store.extend_model_hint_model_change(v_collection.id)
                   || ' End it with braid.finish_model_change or braid.roll_back_model_change.';
  end if;
  select s.* into strict v_old from braid_store.vector_spaces s where s.id = v_collection.vector_space_id;
  -- Workers name the model to say which of the two spaces they embed for.
  if v_old.embedding_model = embedding_model then
    raise exception 'embedding_model is ''%'', which collection "%" uses already', embedding_model, v_collection.name
      using errcode = '22023',
            hint = 'Name the new model; the same model with other dimensions needs a name of its own, such as '
                   || format('''%s@%s''.', embedding_model, dimensions);
  end if;

  begin
    insert into braid_store.vector_spaces (embedding_model, dimensions, distance)
    values (embedding_model, dimensions, distance)
    on conflict do nothing;
  exception when lock_not_available then
    perform braid_store.raise_locked(
      'the vector space', braid_store.lock_holders('{braid_store.vector_spaces}', '{RowExclusiveLock}'));
  end;
  select s.id into strict v_new_id
  from braid_store.vector_spaces s
  where s.embedding_model = begin_model_change.embedding_model and s.dimensions = begin_model_change.dimensions
    and s.distance = begin_model_change.distance;
  -- Vectors left from an earlier model change are still valid: a chunk never changes, and when it is deleted, its
  -- vectors in every space are deleted, too.
  delete from braid_store.dropped_spaces d where d.collection_id = v_collection.id and d.vector_space_id = v_new_id;

  -- The lock divides chunks into two kinds. Writers who had it before have committed, and enqueue_for_new_model finds
  -- their chunks. Chunks of later writers have jobs for both spaces, unless the writer's snapshot is older; for these,
  -- enqueue_for_new_model waits before its last pass.
  perform braid_store.lock_collection(v_collection, 'share row exclusive');
  insert into braid_store.model_changes (collection_id, from_space_id, from_storage, to_space_id, to_storage, state,
                                         started_by)
  values (v_collection.id, v_collection.vector_space_id, v_collection.vector_storage, v_new_id, vector_storage,
    'filling',
          pg_current_xact_id());
  perform braid_store.note_collection(v_collection.id);
end
$$;

comment on function braid_store.begin_model_change(text, text, int, text, text) is
  'Do the work of braid.start_model_change.';
