create or replace function braid_store.erase_sparse_segments(tenant_id int, collection_id int, segment_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
begin
  delete from braid_store.postings p
  where p.tenant_id + 0 = erase_sparse_segments.tenant_id and p.ctid = any (array(
    select p.ctid
    from (
      select s.id as segment_id, braid_store.sparse_lexeme(t.term) as lexeme
      from unnest(erase_sparse_segments.segment_ids) u (segment_id),
           lateral (
             select s.id, s.terms from braid_store.sparse_segments s
             where s.tenant_id = erase_sparse_segments.tenant_id
               and s.collection_id = erase_sparse_segments.collection_id
               and s.id = u.segment_id
             offset 0
           ) s,
           lateral (select unnest(string_to_array(s.terms, E'\n')) as term) t
      order by lexeme, segment_id -- so that neighbouring index entries are read together
    ) l,
    lateral (
      select p.ctid from braid_store.postings p
      where p.tenant_id = erase_sparse_segments.tenant_id and p.collection_id = erase_sparse_segments.collection_id
        and p.lexeme = l.lexeme and p.segment_id = l.segment_id
      offset 0
    ) p));
  -- If a writer has locked a chunk's row here, it is about to delete the row. If it does not, the row leads to no
  -- segment, and is deleted with the chunk.
  delete from braid_store.sparse_segment_chunks sc
  where sc.tenant_id + 0 = erase_sparse_segments.tenant_id and sc.ctid = any (array(
    select sc.ctid
    from unnest(erase_sparse_segments.segment_ids) u (segment_id),
         lateral (
           select sc.ctid from braid_store.sparse_segment_chunks sc
           where sc.tenant_id = erase_sparse_segments.tenant_id
             and sc.collection_id = erase_sparse_segments.collection_id and sc.segment_id = u.segment_id
           for update skip locked
           offset 0
         ) sc));
  delete from braid_store.sparse_segments s
  where s.tenant_id + 0 = erase_sparse_segments.tenant_id and s.ctid = any (array(
    select s.ctid
    from unnest(erase_sparse_segments.segment_ids) u (segment_id),
         lateral (
           select s.ctid from braid_store.sparse_segments s
           where s.tenant_id = erase_sparse_segments.tenant_id and s.collection_id = erase_sparse_segments.collection_id
             and s.id = u.segment_id
           offset 0
         ) s));
end
$$;

comment on function braid_store.erase_sparse_segments(int, int, bigint[]) is
  'Delete sparse segments, which the caller has locked, with their postings and their lists of chunks.';
