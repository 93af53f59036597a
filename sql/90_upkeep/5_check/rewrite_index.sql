create or replace function braid_store.rewrite_index(collection text)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(rewrite_index.collection);
  v_table text;
  v_last_id bigint := -9223372036854775808;
  v_chunk_ids bigint[];
  v_count bigint := 0;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'rebuild_index needs the isolation level read committed, this is %',
                    current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Run it in a transaction of the default isolation level.';
  end if;
  -- Exclusive, because writers and merges hold it shared. What they have not committed would neither be deleted here
  -- nor indexed again: a chunk would then be in two segments or in none.
  perform braid_store.lock_part(v_collection.id, v_tenant_id);
  -- While this waited, the ranking may have been changed, or the collection dropped.
  v_collection := braid_store.find_collection(rewrite_index.collection);

  foreach v_table in array '{postings,forward_rows,tombstones,segment_chunks,metadata_lists,changed_metadata,segments,
                             unindexed_sparse_rows,sparse_segment_chunks,sparse_segments}'::text[] loop
    perform braid_store.delete_rows(v_table, v_tenant_id, v_collection.id);
  end loop;
  loop
    v_chunk_ids := braid_store.next_chunk_ids(v_tenant_id, v_collection.id, v_last_id, 20000);
    exit when v_chunk_ids = '{}';
    perform braid_store.index_chunks(v_tenant_id, v_collection, v_chunk_ids);
    v_count := v_count + cardinality(v_chunk_ids);
    v_last_id := v_chunk_ids[cardinality(v_chunk_ids)];
  end loop;
  v_last_id := -9223372036854775808;
  loop
    v_chunk_ids := array(
      select r.chunk_id from braid_store.sparse_rows r
      where r.tenant_id = v_tenant_id and r.collection_id = v_collection.id and r.chunk_id > v_last_id
      order by r.chunk_id
      limit 8192);
    exit when v_chunk_ids = '{}';
    perform braid_store.write_sparse_segments(v_tenant_id, v_collection.id, v_chunk_ids);
    v_last_id := v_chunk_ids[cardinality(v_chunk_ids)];
  end loop;
  perform braid_store.note_due(v_tenant_id, v_collection.id);
  return v_count;
end
$$;

comment on function braid_store.rewrite_index(text) is
  'Does the work of braid.rebuild_index. Keeps out the writers of the tenant''s part of the collection.';
