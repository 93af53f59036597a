-- This function works across tenants.
create or replace function braid_store.lock_postings(posting_table text, places tid[])
returns bigint[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_tidscan = on
set jit = off
as $$
#variable_conflict use_column
declare
  v_part record;
  v_segment_ids bigint[] := '{}';
begin
  -- A session that deletes postings holds the lock of their segment, or keeps maintenance out of the part. Otherwise, a
  -- merge would look for a row where it was before.
  for v_part in
    execute format($query$
      select p.tenant_id, p.collection_id, array_agg(distinct p.segment_id) as segment_ids
      from braid_store.%I p
      where p.ctid = any ($1)
      group by p.tenant_id, p.collection_id
      order by p.tenant_id, p.collection_id
      $query$, lock_postings.posting_table)
    using lock_postings.places
  loop
    -- The index of sparse terms has the collection's id negated.
    continue when not braid_store.try_lock_part(abs(v_part.collection_id), v_part.tenant_id);
    -- With the part's lock, this query sees a drop that has finished, and a later drop waits for the lock. The reaper
    -- takes no lock of a part.
    continue when not exists (select from braid_store.collections c where c.id = abs(v_part.collection_id));
    v_segment_ids := v_segment_ids || array(
      select s.id
      from unnest(v_part.segment_ids) u (segment_id),
           lateral (
             select s.id from braid_store.segments s
             where s.tenant_id = v_part.tenant_id and s.collection_id = v_part.collection_id and s.id = u.segment_id
             for update skip locked
             offset 0
           ) s);
  end loop;
  return v_segment_ids;
end
$$;

comment on function braid_store.lock_postings(text, tid[]) is
  'Lock the segments of the postings at these places in a table, so that the postings can be moved, and return the '
  'segments'' ids. Segments that another session is merging are left out, and so are segments of dropped '
  'collections.';
