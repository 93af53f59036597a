-- role: writer
create or replace function braid_calls.rewrite_index(collection text)
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
begin
  perform braid_store.extend_work_on_all(v_tenant_id, 'rebuild_index');
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'rebuild_index needs the isolation level read committed, but the transaction has %',
                    current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Make the call in a transaction with the isolation level read committed.';
  end if;
  -- The lock is exclusive because writers and merges hold it shared. Their uncommitted rows would neither be deleted
  -- here nor indexed again, and a chunk would be in two segments or in none.
  perform braid_store.lock_part(v_collection.id, v_tenant_id);
  -- The ranking may have changed, or the collection may have been dropped, during the wait.
  v_collection := braid_store.find_collection(rewrite_index.collection);

  return braid_store.rebuild_part(v_tenant_id, v_collection);
end
$$;

comment on function braid_calls.rewrite_index(text) is
  'Do the work of braid.rebuild_index. Keep out the writers of the tenant''s part of the collection.';
