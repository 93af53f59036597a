create or replace function braid_store.restore_token_vectors(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  chunks jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_given record;
  v_vectors @vector@.halfvec[];
begin
  for v_given in
    select u.chunk_id, u.chunk -> 'token_vectors' -> 'vectors' as vectors
    from unnest(restore_token_vectors.chunk_ids, restore_token_vectors.chunks) u (chunk_id, chunk)
    where u.chunk -> 'token_vectors' ->> 'embedding_model' = collection.token_vector_model
  loop
    v_vectors := braid_store.parse_token_vectors(v_given.vectors, 'token_vectors');
    perform braid_store.check_token_vectors(collection, v_vectors, 'token_vectors');
    if cardinality(v_vectors) > 0 then
      perform braid_store.write_token_vectors(tenant_id, collection, array[v_given.chunk_id], v_vectors,
                                              array[cardinality(v_vectors)]);
    end if;
  end loop;
end
$$;

comment on function braid_store.restore_token_vectors(int, braid_store.collections, bigint[], jsonb[]) is
  'Stores the token vectors that exported chunks have, as they are. Those of another model than the collection''s are left '
  'out. chunks: the exported chunks, parallel to chunk_ids.';
