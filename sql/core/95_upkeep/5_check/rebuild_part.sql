create or replace function braid_store.rebuild_part(tenant_id int, collection braid_store.collections)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_collection_id int := rebuild_part.collection.id;
  v_table text;
  v_last_id bigint := -9223372036854775808;
  v_chunk_ids bigint[];
  v_count bigint := 0;
begin
  foreach v_table in array '{postings_a,postings_b,forward_rows,tombstones,segment_chunks,metadata_lists,
                             changed_metadata,segments,unindexed_sparse_rows}'::text[] loop
    perform braid_store.delete_rows(v_table, rebuild_part.tenant_id, v_collection_id);
  end loop;
  delete from braid_store.due_parts d
  where d.tenant_id = rebuild_part.tenant_id and d.collection_id = v_collection_id and d.task = 'rebuild_index';
  loop
    v_chunk_ids := braid_store.next_chunk_ids(rebuild_part.tenant_id, v_collection_id, v_last_id, 20000);
    exit when v_chunk_ids = '{}';
    perform braid_store.index_chunks(rebuild_part.tenant_id, rebuild_part.collection, v_chunk_ids);
    v_count := v_count + cardinality(v_chunk_ids);
    v_last_id := v_chunk_ids[cardinality(v_chunk_ids)];
  end loop;
  v_last_id := -9223372036854775808;
  loop
    v_chunk_ids := array(
      select r.chunk_id from braid_store.sparse_rows r
      where r.tenant_id = rebuild_part.tenant_id and r.collection_id = v_collection_id and r.chunk_id > v_last_id
      order by r.chunk_id
      limit 8192);
    exit when v_chunk_ids = '{}';
    perform braid_store.write_sparse_segments(rebuild_part.tenant_id, v_collection_id, v_chunk_ids);
    v_last_id := v_chunk_ids[cardinality(v_chunk_ids)];
  end loop;
  perform braid_store.note_due(rebuild_part.tenant_id, v_collection_id);
  return v_count;
end
$$;

comment on function braid_store.rebuild_part(int, braid_store.collections) is
  'Rebuild the full-text index of a tenant''s part of a collection, and its index of sparse terms. The caller keeps '
  'writers out. Return the number of chunks indexed.';
