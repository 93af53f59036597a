create or replace function braid_store.merge_passages(
  tenant_id int,
  chunk_ids bigint[],
  units int[],
  context_before int,
  context_after int,
  wanted_count int,
  is_merged boolean,
  out places int[],
  out passages int4range[]
)
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
declare
  v_row record;
  v_place int;
  v_other int;
  -- The group and document of each passage so far; null for a passage that was joined to a better one.
  v_documents text[] := '{}';
  v_count int := 0;
begin
  places := '{}';
  passages := '{}';
  for v_row in
    select u.place::int,
           -- Passages of different groups are never joined.
           coalesce(u.unit::text, '') || ':' || c.document_id as document,
           int4range(greatest(c.chunk_index - merge_passages.context_before, 0),
                     c.chunk_index + merge_passages.context_after, '[]') as passage
    from unnest(merge_passages.chunk_ids, merge_passages.units) with ordinality u (chunk_id, unit, place),
         lateral (
           select c.document_id, c.chunk_index from braid_store.chunks c
           where c.tenant_id = merge_passages.tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c
    order by u.place
  loop
    exit when v_count = merge_passages.wanted_count;
    v_place := null;
    if merge_passages.is_merged then
      foreach v_other in array array_positions(v_documents, v_row.document) loop
        continue when not (passages[v_other] && v_row.passage or passages[v_other] -|- v_row.passage);
        if v_place is null then
          v_place := v_other;
          passages[v_place] := passages[v_place] + v_row.passage;
        else
          passages[v_place] := passages[v_place] + passages[v_other];
          v_documents[v_other] := null;
          v_count := v_count - 1;
        end if;
      end loop;
    end if;
    if v_place is null then
      places := places || v_row.place;
      passages := passages || v_row.passage;
      v_documents := v_documents || v_row.document;
      v_count := v_count + 1;
    end if;
  end loop;

  select coalesce(array_agg(k.place order by k.number), '{}'), coalesce(array_agg(k.passage order by k.number), '{}')
  into places, passages
  from unnest(places, passages, v_documents) with ordinality k (place, passage, document, number)
  where k.document is not null;
end
$$;

comment on function braid_store.merge_passages(int, bigint[], int[], int, int, int, boolean) is
  'Make a passage of each chunk and its neighbours. Chunks are taken best first, until there are wanted_count '
  'passages (null: all). is_merged: whether passages of the same document and unit that overlap or touch are joined; '
  'the better row then stays. places tells which of the given chunks stay; passages has their ranges of chunk_index.';
