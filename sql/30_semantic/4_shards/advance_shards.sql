create or replace function braid_store.advance_shards(
  tenant_id int,
  collection braid_store.collections,
  deadline timestamptz,
  out is_complete boolean,
  out steps int,
  out warning text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_collection braid_store.collections := advance_shards.collection;
  v_limit int := (select braid_store.exact_limit(s.dimensions) from braid_store.vector_spaces s
                  where s.id = v_collection.vector_space_id);
  v_serving braid_store.vector_shards;
  v_moving braid_store.vector_shards;
  v_written int;
  v_served int;
begin
  steps := 0;
  is_complete := true;
  -- One session at a time, else both would make shards; searches and writes go on.
  if not pg_try_advisory_xact_lock(hashtextextended(
       concat_ws('/', 'pgbraid shards', v_collection.id, advance_shards.tenant_id), 0)) then
    return;
  end if;
  loop
    select s.* into v_moving from braid_store.vector_shards s
    where s.tenant_id = advance_shards.tenant_id and s.collection_id = v_collection.id
      and s.vector_space_id = v_collection.vector_space_id and s.state in ('copying', 'indexing');
    select s.* into v_serving from braid_store.vector_shards s
    where s.tenant_id = advance_shards.tenant_id and s.collection_id = v_collection.id
      and s.vector_space_id = v_collection.vector_space_id and s.state = 'serving';
    v_written := (
      select count(*)
      from (
        select from braid_store.chunk_vectors v
        where v.tenant_id = advance_shards.tenant_id and v.collection_id = v_collection.id
          and v.vector_space_id = v_collection.vector_space_id
        limit greatest(v_limit, 1001, v_serving.vector_count / 5 + 1)
      ) v);
    exit when v_moving.id is null and v_serving.id is null and v_written < v_limit;
    if clock_timestamp() > advance_shards.deadline then
      is_complete := false;
      exit;
    end if;

    if v_moving.state = 'copying' then
      if braid_store.copy_vectors(v_moving, v_serving.id, 2000) = 0 then
        -- The index is made in a transaction of its own, so that status can say so meanwhile.
        is_complete := false;
        exit;
      end if;
    elsif v_moving.state = 'indexing' then
      warning := braid_store.index_shard(v_moving);
      perform braid_store.calibrate_shard(v_moving, v_collection),
              braid_store.serve_shard(v_moving);
      steps := steps + 1;
      -- The next steps are of another transaction, which sees what was deleted until this one had ended.
      is_complete := false;
      exit;
    elsif v_serving.id is null then
      perform braid_store.create_shard(advance_shards.tenant_id, v_collection);
    elsif v_serving.forgotten_chunk_id < v_serving.copied_chunk_id then
      perform braid_store.forget_copied(v_serving, 2000);
    else
      execute format('select count(*) from (select from braid_store.vectors_%s where tenant_id = $1 limit $2) v',
                     v_serving.id)
      into v_served using advance_shards.tenant_id, v_limit;
      if v_served + v_written < v_limit / 2 then
        exit when braid_store.give_back_vectors(v_serving, 2000) = 0; -- it is empty, or all are locked
      elsif v_serving.is_outdated
            or (v_serving.storage, v_serving.hnsw_m, v_serving.hnsw_ef_construction)
               <> (v_collection.vector_storage, v_collection.hnsw_m, v_collection.hnsw_ef_construction)
            or not (braid_store.serving_shard(advance_shards.tenant_id, v_collection)).is_indexed
            -- Many at once are indexed faster than one by one.
            or v_written > greatest(1000, v_serving.vector_count / 5) then
        perform braid_store.create_shard(advance_shards.tenant_id, v_collection);
      elsif v_written > 0 then
        exit when braid_store.absorb_vectors(v_serving, 200) = 0; -- all are locked
      else
        exit;
      end if;
    end if;
    steps := steps + 1;
  end loop;
end
$$;

comment on function braid_store.advance_shards(int, braid_store.collections, timestamptz) is
  'Brings the vectors of a tenant''s part of a collection to where they belong, step by step until the deadline: makes a '
  'shard when there are many, gives it up when there are few, makes it anew when its settings have changed, and moves into '
  'it what was written since. Every step leaves all vectors readable; a lost session loses no more than its last ones.';
