create or replace function braid_store.place_embeddings(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  embedded_ids bigint[],
  embeddings @vector@.vector[],
  names text[],
  previous_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- Positions in embedded_ids and embeddings that no space has taken yet.
  v_left int[];
  v_fitting int[];
  v_fitting_ids bigint[];
  v_kept_ids bigint[];
  v_embeddings @vector@.vector[];
  v_names text[];
  v_space braid_store.collections;
begin
  if current_setting('braid.notify_workers', true) = 'on'
     and cardinality(place_embeddings.embedded_ids) is distinct from cardinality(place_embeddings.chunk_ids) then
    perform braid_store.notify_workers(tenant_id, collection);
  end if;
  if place_embeddings.embedded_ids is null and place_embeddings.previous_ids is null then
    insert into braid_store.embedding_jobs (tenant_id, collection_id, vector_space_id, chunk_id)
    select place_embeddings.tenant_id, w.id, w.vector_space_id, u.chunk_id
    from braid_store.written_spaces(place_embeddings.collection) w, unnest(place_embeddings.chunk_ids) u (chunk_id);
    return;
  end if;
  if place_embeddings.previous_ids is null
     and cardinality(place_embeddings.embedded_ids) = cardinality(place_embeddings.chunk_ids)
     and not exists (select from braid_store.extend_spaces(place_embeddings.collection.id)) then
    -- In most writes of vectors, each chunk has one vector, and there is one vector space.
    perform braid_store.check_embeddings(collection, embeddings, 'embedding %s', names);
    perform braid_store.insert_vectors(tenant_id, collection, embedded_ids, embeddings);
    return;
  end if;

  v_left := array(select generate_subscripts(place_embeddings.embedded_ids, 1));
  -- The searches' space comes first, and so takes a vector that fits both spaces.
  for v_space in select w.* from braid_store.written_spaces(place_embeddings.collection) w loop
    v_fitting := array(
      select u.place
      from unnest(v_left) u (place)
      where @vector@.vector_dims(place_embeddings.embeddings[u.place])
            = (select s.dimensions from braid_store.vector_spaces s where s.id = v_space.vector_space_id)
      order by u.place);
    v_fitting_ids := array(
      select place_embeddings.embedded_ids[u.place] from unnest(v_fitting) with ordinality u (place, number)
        order by u.number);
    if v_fitting <> '{}' then
      v_embeddings := array(select place_embeddings.embeddings[u.place]
                            from unnest(v_fitting) with ordinality u (place, number) order by u.number);
      v_names := array(select place_embeddings.names[u.place]
                       from unnest(v_fitting) with ordinality u (place, number) order by u.number);
      perform braid_store.check_embeddings(v_space, v_embeddings, 'embedding %s', v_names);
      perform braid_store.insert_vectors(tenant_id, v_space, v_fitting_ids, v_embeddings);
      v_left := array(select unnest(v_left) except select unnest(v_fitting) order by 1);
    end if;

    v_kept_ids := '{}';
    if place_embeddings.previous_ids is not null then
      select braid_store.keep_vectors(place_embeddings.tenant_id, v_space, array_agg(u.chunk_id),
        array_agg(u.previous_id))
      into v_kept_ids
      from unnest(place_embeddings.chunk_ids, place_embeddings.previous_ids) u (chunk_id, previous_id)
      where u.previous_id is not null and u.chunk_id not in (select unnest(v_fitting_ids));
    end if;
    insert into braid_store.embedding_jobs (tenant_id, collection_id, vector_space_id, chunk_id)
    select place_embeddings.tenant_id, v_space.id, v_space.vector_space_id, u.chunk_id
    from unnest(place_embeddings.chunk_ids) u (chunk_id)
    where u.chunk_id not in (select unnest(v_fitting_ids || v_kept_ids));
  end loop;

  if v_left <> '{}' then
    v_embeddings := array(select place_embeddings.embeddings[u.place]
                          from unnest(v_left) with ordinality u (place, number) order by u.number);
    v_names := array(select place_embeddings.names[u.place]
                     from unnest(v_left) with ordinality u (place, number) order by u.number);
    perform braid_store.check_embeddings(collection, v_embeddings, 'embedding %s', v_names);
  end if;
end
$$;

comment on function braid_store.place_embeddings(int, braid_store.collections, bigint[], bigint[], @vector@.vector[],
                                                 text[], bigint[]) is
  'Store the embeddings that new chunks came with, each in the one vector space that has its number of dimensions. '
  'In the other spaces, give a chunk whose text is unchanged the vector of the previous chunk. Put each chunk into '
  'the outbox of every space in which it still has no embedding. embedded_ids: the chunk of each embedding; null if '
  'there are none. names: what messages call each embedding. previous_ids: the previous chunk, or null, of each of '
  'chunk_ids; null if there are none.';
