create or replace function braid_store.create_shard(tenant_id int, collection braid_store.collections)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_space braid_store.vector_spaces;
  v_stored_type text;
  v_shard_id int;
  v_column text;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = collection.vector_space_id;
  v_stored_type := (braid_store.shard_order(collection.vector_storage, null, v_space.dimensions,
    v_space.distance)).stored_type;

  insert into braid_store.vector_shards (tenant_id, collection_id, vector_space_id, storage, hnsw_m,
    hnsw_ef_construction,
                                         state, index_type)
  values (create_shard.tenant_id, collection.id, v_space.id, collection.vector_storage, collection.hnsw_m,
          collection.hnsw_ef_construction, 'copying',
          -- If the serving shard has rejected halfvec, the new shard does not try it again, unless the serving shard is
          -- outdated.
          (select s.index_type
           from braid_store.vector_shards s
           where s.tenant_id = create_shard.tenant_id and s.collection_id = collection.id
             and s.vector_space_id = v_space.id
             and s.state = 'serving' and s.storage = collection.vector_storage and s.index_type = 'vector'
             and not s.is_outdated))
  returning id into v_shard_id;

  execute format(
    'create table braid_store.vectors_%s (tenant_id int not null, chunk_id bigint not null, embedding %s not null, '
    'embedding_hash bigint, is_duplicate boolean not null default false, '
    'primary key (tenant_id, chunk_id)) with (toast_tuple_target = 8160)', v_shard_id, v_stored_type);
  execute format('alter table braid_store.vectors_%s alter column embedding set storage external', v_shard_id);
  foreach v_column in array '{tenant_id,chunk_id,embedding,embedding_hash,is_duplicate}'::text[] loop
    execute format('alter table braid_store.vectors_%s alter column %I set statistics 0', v_shard_id, v_column);
  end loop;
  execute format('create index vectors_%1$s_equal on braid_store.vectors_%1$s (tenant_id, embedding_hash, '
    'is_duplicate)',
                 v_shard_id);
  execute format('alter table braid_store.vectors_%s enable row level security', v_shard_id);
  execute format('create policy tenant_isolation on braid_store.vectors_%s '
                 'using (tenant_id = (select braid_calls.session_tenant_id()))', v_shard_id);
  execute format('grant select, insert, update, delete on braid_store.vectors_%s to @definer@', v_shard_id);
  execute format('comment on table braid_store.vectors_%s is %L', v_shard_id, 'A vector shard.');
  return v_shard_id;
end
$$;

comment on function braid_store.create_shard(int, braid_store.collections) is
  'Create an empty vector shard for a tenant, with the collection''s current settings, and return its id. No search '
  'reads it yet.';
