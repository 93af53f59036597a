create or replace function braid_store.neighbour_sums(tenant_id int, chunk_ids bigint[], scores float8[])
returns float8[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Only the key gives the order by which rows are looked up below. Other indexes that begin with the tenant seem as good
-- while the table is small, and all of the tenant's rows would be read for each.
set enable_sort = off
set enable_bitmapscan = off
as $$
begin
  return array(
    -- A chunk of less than no score is no better than one that was not found.
    select greatest(n.before, 0) + greatest(n.after, 0)
    from (
      select p.place,
             -- What stands next to a chunk in this order is next to it in the document only if no number lies between.
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
  'For each of some chunks the sum of the scores of the chunks before and after it in its document, as far as they are '
  'among them and above 0.';
