create or replace function braid_store.erase_segments(tenant_id int, collection_id int, segment_ids bigint[])
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
declare
  v_first bigint;
  v_last bigint;
  v_are_nearly_all boolean;
  -- An empty file has no rows.
  v_has_a boolean := braid_store.may_hold_postings('braid_store.postings_a');
  v_has_b boolean := braid_store.may_hold_postings('braid_store.postings_b');
  v_lexemes text[];
begin
  select min(u.segment_id), max(u.segment_id) into v_first,
    v_last from unnest(erase_segments.segment_ids) u (segment_id);
  select coalesce(sum(s.posting_count) filter (where s.id = any (erase_segments.segment_ids))
                  > 8 * coalesce(sum(s.posting_count) filter (where s.id <> all (erase_segments.segment_ids)), 0),
                    false)
  into v_are_nearly_all
  from braid_store.segments s
  where s.tenant_id = erase_segments.tenant_id and s.collection_id = erase_segments.collection_id;
  if v_are_nearly_all then
    -- More than 8/9 of all postings are deleted, for example after a bulk load. One scan is then cheaper than looking
    -- up the lexemes of all chunks.
    if v_has_a then
      delete from braid_store.postings_a p
      where p.tenant_id + 0 = erase_segments.tenant_id and p.ctid = any (array(
        select p.ctid
        from (
          select p.ctid, p.segment_id from braid_store.postings_a p
          where p.tenant_id = erase_segments.tenant_id and p.collection_id = erase_segments.collection_id
          offset 0
        ) p
        where p.segment_id = any (erase_segments.segment_ids)));
    end if;
    if v_has_b then
      delete from braid_store.postings_b p
      where p.tenant_id + 0 = erase_segments.tenant_id and p.ctid = any (array(
        select p.ctid
        from (
          select p.ctid, p.segment_id from braid_store.postings_b p
          where p.tenant_id = erase_segments.tenant_id and p.collection_id = erase_segments.collection_id
          offset 0
        ) p
        where p.segment_id = any (erase_segments.segment_ids)));
    end if;
  else
    -- Find rows by key, one by one, and delete them by ctid: given a list of keys, the planner, which has no
    -- statistics, would read all of the tenant's rows. The forward rows, and the names of sparse terms, tell which
    -- keys exist, because an index by segment would slow down every write.
    v_lexemes := array(
      select distinct unnest(string_to_array(f.lexemes, ' ')) as lexeme
      from (
        select sc.chunk_id
        from unnest(erase_segments.segment_ids) u (segment_id),
             lateral (
               select sc.chunk_id from braid_store.segment_chunks sc
               where sc.tenant_id = erase_segments.tenant_id and sc.collection_id = erase_segments.collection_id
                 and sc.segment_id = u.segment_id
               offset 0
             ) sc
        union all
        select t.chunk_id
        from unnest(erase_segments.segment_ids) u (segment_id),
             lateral (
               select t.chunk_id from braid_store.tombstones t
               where t.segment_id = u.segment_id and t.tenant_id = erase_segments.tenant_id
                 and t.collection_id = erase_segments.collection_id
               offset 0
             ) t
      ) c,
      lateral (
        select f.lexemes from braid_store.forward_rows f
        where f.tenant_id = erase_segments.tenant_id and f.chunk_id = c.chunk_id
        offset 0
      ) f
      where erase_segments.collection_id > 0
      union
      select unnest(string_to_array(s.terms, E'\n'))
      from unnest(erase_segments.segment_ids) u (segment_id),
           lateral (
             select s.terms from braid_store.segments s
             where s.tenant_id = erase_segments.tenant_id and s.collection_id = erase_segments.collection_id
               and s.id = u.segment_id
             offset 0
           ) s
      where erase_segments.collection_id < 0
      order by lexeme); -- so that neighbouring index entries are read together
    if v_has_a then
      delete from braid_store.postings_a p
      where p.tenant_id + 0 = erase_segments.tenant_id and p.ctid = any (array(
        select p.ctid
        from unnest(v_lexemes) l (lexeme),
             lateral (
               select p.ctid, p.segment_id from braid_store.postings_a p
               where p.tenant_id = erase_segments.tenant_id and p.collection_id = erase_segments.collection_id
                 and p.lexeme = l.lexeme and p.segment_id between v_first and v_last
               offset 0
             ) p
        where p.segment_id = any (erase_segments.segment_ids)));
    end if;
    if v_has_b then
      delete from braid_store.postings_b p
      where p.tenant_id + 0 = erase_segments.tenant_id and p.ctid = any (array(
        select p.ctid
        from unnest(v_lexemes) l (lexeme),
             lateral (
               select p.ctid, p.segment_id from braid_store.postings_b p
               where p.tenant_id = erase_segments.tenant_id and p.collection_id = erase_segments.collection_id
                 and p.lexeme = l.lexeme and p.segment_id between v_first and v_last
               offset 0
             ) p
        where p.segment_id = any (erase_segments.segment_ids)));
    end if;
  end if;
  delete from braid_store.segment_chunks sc
  where sc.tenant_id + 0 = erase_segments.tenant_id and sc.ctid = any (array(
    select sc.ctid
    from unnest(erase_segments.segment_ids) u (segment_id),
         lateral (
           select sc.ctid from braid_store.segment_chunks sc
           where sc.tenant_id = erase_segments.tenant_id and sc.collection_id = erase_segments.collection_id
             and sc.segment_id = u.segment_id
           offset 0
         ) sc));
  delete from braid_store.metadata_lists l
  where l.tenant_id + 0 = erase_segments.tenant_id and l.ctid = any (array(
    select l.ctid
    from unnest(erase_segments.segment_ids) u (segment_id),
         lateral (
           select l.ctid from braid_store.metadata_lists l
           where l.tenant_id = erase_segments.tenant_id and l.collection_id = erase_segments.collection_id
             and l.segment_id = u.segment_id
           offset 0
         ) l));
  delete from braid_store.segments s
  where s.tenant_id + 0 = erase_segments.tenant_id and s.ctid = any (array(
    select s.ctid
    from unnest(erase_segments.segment_ids) u (segment_id),
         lateral (
           select s.ctid from braid_store.segments s
           where s.tenant_id = erase_segments.tenant_id and s.collection_id = erase_segments.collection_id
             and s.id = u.segment_id
           offset 0
         ) s));
end
$$;

comment on function braid_store.erase_segments(int, int, bigint[]) is
  'Delete segments and deletions with their postings and their lists of chunks and metadata. The forward rows and '
  'tombstones must still exist, because they tell which postings to delete. Afterwards the caller deletes them, or '
  'writes their chunks into new segments.';
