create or replace function braid_store.neighbour_sums(tenant_id int, chunk_ids bigint[], scores float8[])
returns float8[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
begin
  return array(
    -- A neighbour with a negative score counts like one that was not found.
    select greatest(n.before, 0) + greatest(n.after, 0)
    from (
      select p.place,
             -- The previous row in this order is the previous chunk of the document only if their numbers are
             -- consecutive. The same holds for the next row.
             case when lag(p.chunk_index) over in_order = p.chunk_index - 1 then lag(p.score) over in_order
               end as before,
             case when lead(p.chunk_index) over in_order = p.chunk_index + 1 then lead(p.score) over in_order
               end as after
      from (
        select u.place, u.score, c.document_id, c.chunk_index
        from unnest(neighbour_sums.chunk_ids, neighbour_sums.scores) with ordinality u (chunk_id, score, place)
        left join lateral (
          select c.document_id, c.chunk_index from braid_store.chunks c
          where c.tenant_id = neighbour_sums.tenant_id and c.id between u.chunk_id and u.chunk_id
          order by c.id
          offset 0
        ) c on true
      ) p
      window in_order as (partition by p.document_id order by p.chunk_index)
    ) n
    order by n.place);
end
$$;

comment on function braid_store.neighbour_sums(int, bigint[], float8[]) is
  'Return for each chunk the sum of the scores of the previous and the next chunk in its document. Neighbours count '
  'if they are among the given chunks and have a score above 0.';
