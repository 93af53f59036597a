create or replace function braid_store.add_passages(
  tenant_id int,
  results braid_store.search_result[],
  passages int4range[]
)
returns braid_store.search_result[]
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
  v_passage record;
begin
  for v_passage in
    select r.place::int, n.first_index, n.last_index, braid_store.join_texts(n.contents, n.speakers) as content
    from unnest(array(select r.document_id from unnest(results) r), add_passages.passages)
           with ordinality r (document_id, passage, place),
         lateral (
           select array_agg(c.content order by c.chunk_index) as contents,
                  array_agg(c.speaker order by c.chunk_index) as speakers,
                  min(c.chunk_index) as first_index, max(c.chunk_index) as last_index
           from (
             select c.* from braid_store.chunks c
             where c.tenant_id = add_passages.tenant_id and c.document_id = r.document_id
               and c.chunk_index >= lower(r.passage) and c.chunk_index < upper(r.passage)
             order by c.chunk_index
             offset 0
           ) c
           offset 0
         ) n
  loop
    results[v_passage.place].passage := v_passage.content;
    results[v_passage.place].passage_start := v_passage.first_index;
    results[v_passage.place].passage_end := v_passage.last_index;
  end loop;
  return results;
end
$$;

comment on function braid_store.add_passages(int, braid_store.search_result[], int4range[]) is
  'Fill in passage, passage_start and passage_end of result rows. passages has a range of chunk_index in the '
  'document for each row.';
