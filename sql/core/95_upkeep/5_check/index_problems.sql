-- role: writer
create or replace function braid_calls.index_problems(collection text)
returns table (problem text, chunk_id bigint, lexeme text, detail text)
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(index_problems.collection);
begin
  perform braid_store.extend_work_on_all(v_tenant_id, 'check_index');
  -- Stable functions all see the caller's snapshot, so writes and merges during the check are not reported as problems.
  return query
  select c.problem, c.chunk_id, null::text, null::text
  from braid_store.check_chunks(v_tenant_id, v_collection.id) c;
  -- If an upgrade has changed the tokens of a part, its forward rows differ until they are indexed again, as health()
  -- reports.
  if not exists (
    select from braid_store.due_parts d
    where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id and d.task = 'rebuild_index') then
    return query
    select 'forward row differs from its chunk', f.chunk_id, null::text, f.detail
    from braid_store.check_forward_rows(v_tenant_id, v_collection) f;
  end if;
  return query
  select s.problem, null::bigint, s.lexeme, s.detail
  from braid_store.check_segments(v_tenant_id, v_collection.id) s;
  return query
  select r.problem, r.chunk_id, null::text, r.detail
  from braid_store.check_sparse_rows(v_tenant_id, v_collection.id) r;
  return query
  select m.problem, m.chunk_id, null::text, m.detail
  from braid_store.check_metadata_lists(v_tenant_id, v_collection.id) m;
end
$$;

comment on function braid_calls.index_problems(text) is
  'Do the work of braid.check_index.';
