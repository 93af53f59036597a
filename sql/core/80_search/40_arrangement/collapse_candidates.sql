create or replace function braid_store.collapse_candidates(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  similarity float8,
  wanted_count int
)
returns int[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_left int[];
  v_vectors @vector@.vector[];
  v_best int;
  v_kept int[] := '{}';
begin
  v_left := array(
    select min(u.place)
    from unnest(collapse_candidates.chunk_ids) with ordinality u (chunk_id, place),
         lateral (
           select c.content from braid_store.chunks c
           where c.tenant_id = collapse_candidates.tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c
    group by c.content collate "C"
    order by 1);
  if collapse_candidates.similarity is null then
    return v_left[:collapse_candidates.wanted_count];
  end if;

  v_vectors := braid_store.candidate_vectors(tenant_id, collection, chunk_ids);
  while cardinality(v_left) > 0 and cardinality(v_kept) < collapse_candidates.wanted_count loop
    v_best := v_left[1];
    v_kept := v_kept || v_best;
    v_left := v_left[2:];
    if v_vectors[v_best] is not null then
      -- Distances are compared, because a vector of length 0 has the distance NaN, which is greater than any number. It
      -- therefore counts as unlike all others.
      v_left := array(
        select l.place from unnest(v_left) with ordinality l (place, number)
        where (v_vectors[l.place] operator(@vector@.<=>) v_vectors[v_best] <= 1 - collapse_candidates.similarity)
              is not true
        order by l.number);
    end if;
  end loop;
  return v_kept;
end
$$;

comment on function braid_store.collapse_candidates(int, braid_store.collections, bigint[], float8, int) is
  'Leave out repeated chunks, and return the places of the chunks that stay. Chunks come best first; a chunk is left '
  'out if it repeats a better one that stays. It repeats a chunk with equal text or, if similarity is given, a chunk '
  'whose vector has at least this cosine with its own. Return at most wanted_count places. A chunk without a vector '
  'is compared by text only.';
