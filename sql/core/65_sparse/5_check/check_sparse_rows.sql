create or replace function braid_store.check_sparse_rows(tenant_id int, collection_id int)
returns table (problem text, chunk_id bigint, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  v_segment braid_store.segments;
  v_covered bigint[] := array(
    select n.chunk_id from braid_store.unindexed_sparse_rows n
    where n.tenant_id = check_sparse_rows.tenant_id and n.collection_id = check_sparse_rows.collection_id);
begin
  return query
  select 'sparse terms without a chunk', r.chunk_id, null::text
  from braid_store.sparse_rows r
  where r.tenant_id = check_sparse_rows.tenant_id and r.collection_id = check_sparse_rows.collection_id
    and not exists (select from braid_store.chunks c
                    where c.tenant_id = check_sparse_rows.tenant_id and c.id = r.chunk_id offset 0);

  -- The index finds a chunk if a segment's lists contain each of its terms, with an impact that is high enough.
  for v_segment in
    select s.* from braid_store.segments s
    where s.tenant_id = check_sparse_rows.tenant_id and s.collection_id = -check_sparse_rows.collection_id
    order by s.id
  loop
    v_covered := v_covered || array(
      with stored as materialized (
        select t.term, braid_store.list_elements(p.elements, p.block_weight, p.blocks) as element
        from (select unnest(string_to_array(v_segment.terms, E'\n')) as term) t,
             lateral (
               select p.elements, p.block_weight, p.blocks from braid_store.postings p
               where p.tenant_id = check_sparse_rows.tenant_id and p.collection_id = -check_sparse_rows.collection_id
                 and p.lexeme = t.term and p.segment_id = v_segment.id
               offset 0
             ) p
      ), needed as materialized (
        select sc.chunk_id, sc.chunk_number, unnest(string_to_array(r.terms, E'\n')) as term,
               unnest(r.weights)::float8 as weight
        from braid_store.segment_chunks sc,
             lateral (
               select r.newer_than, r.terms, r.weights from braid_store.sparse_rows r
               where r.tenant_id = check_sparse_rows.tenant_id and r.collection_id = check_sparse_rows.collection_id
                 and r.chunk_id = sc.chunk_id
               offset 0
             ) r
        where sc.tenant_id = check_sparse_rows.tenant_id and sc.collection_id = -check_sparse_rows.collection_id
          and sc.segment_id = v_segment.id and r.newer_than < v_segment.id
      )
      select n.chunk_id
      from needed n
      left join stored s on s.term = n.term and s.element >> braid_store.impact_bits() = n.chunk_number
      group by n.chunk_id
      having bool_and(coalesce((s.element & braid_store.max_impact()) * v_segment.max_weight * (1 + 1e-9)
                               >= n.weight * braid_store.max_impact(), false)));
  end loop;

  return query
  select 'sparse terms not in the index', r.chunk_id, null::text
  from braid_store.sparse_rows r
  where r.tenant_id = check_sparse_rows.tenant_id and r.collection_id = check_sparse_rows.collection_id
    and r.chunk_id in (
      select r.chunk_id from braid_store.sparse_rows r
      where r.tenant_id = check_sparse_rows.tenant_id and r.collection_id = check_sparse_rows.collection_id
      except
      select unnest(v_covered));
end
$$;

comment on function braid_store.check_sparse_rows(int, int) is
  'Find sparse rows whose chunk is gone, and sparse rows that the index does not find.';
