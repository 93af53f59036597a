create or replace function braid_store.write_sparse_segment(tenant_id int, collection_id int, chunk_ids bigint[])
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
  v_segment braid_store.sparse_segments;
begin
  insert into braid_store.sparse_segments (tenant_id, collection_id, chunk_count, posting_count, max_weight, terms)
  select write_sparse_segment.tenant_id, write_sparse_segment.collection_id,
    cardinality(write_sparse_segment.chunk_ids), 0,
         max(w.weight)::float8, ''
  from unnest(write_sparse_segment.chunk_ids) u (chunk_id),
       lateral (
         select r.weights from braid_store.sparse_rows r
         where r.tenant_id = write_sparse_segment.tenant_id and r.collection_id = write_sparse_segment.collection_id
           and r.chunk_id = u.chunk_id
         offset 0
       ) r,
       lateral (select unnest(r.weights) as weight) w
  having count(*) > 0
  returning * into v_segment;
  if v_segment.id is null then
    return;
  end if;

  insert into braid_store.sparse_segment_chunks (tenant_id, collection_id, segment_id, chunk_number, chunk_id)
  select write_sparse_segment.tenant_id, write_sparse_segment.collection_id, v_segment.id, u.chunk_number, u.chunk_id
  from unnest(write_sparse_segment.chunk_ids) with ordinality u (chunk_id, chunk_number);

  -- The segment lists exactly the terms whose postings this statement writes. The postings of any other term would
  -- never be deleted, and another session may have stored a new term since the statements above.
  with lists as materialized (
    select p.* from braid_store.sparse_posting_lists(v_segment, write_sparse_segment.chunk_ids) p
  ), written as (
    insert into braid_store.postings select l.* from lists l order by l.lexeme
  )
  update braid_store.sparse_segments s
  set posting_count = l.posting_count, terms = l.terms
  from (
    select coalesce(sum(l.posting_count), 0) as posting_count, coalesce(string_agg(substr(l.lexeme, 2), E'\n'),
      '') as terms
    from lists l
  ) l
  where s.tenant_id = v_segment.tenant_id and s.collection_id = v_segment.collection_id and s.id = v_segment.id;
end
$$;

comment on function braid_store.write_sparse_segment(int, int, bigint[]) is
  'Write a segment of the sparse rows of distinct chunks, numbered from 1 in the order of chunk_ids, and its '
  'postings. Do nothing if no such rows exist.';
