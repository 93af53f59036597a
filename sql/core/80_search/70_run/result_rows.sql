create or replace function braid_store.result_rows(
  tenant_id int,
  ranked braid_store.fused_candidate[]
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
begin
  return array(
    select row(r.chunk_id, c.document_id, c.external_id, c.chunk_index, c.title, c.content, c.source_uri, c.speaker,
               c.category, c.importance, c.occurred_at, c.created_at, c.token_count, c.metadata, r.score,
               r.full_text_score, r.full_text_normalised_score, r.full_text_rank,
               r.semantic_score, r.semantic_normalised_score, r.semantic_rank, null, r.fused_score, r.boosts,
               r.group_score, null, null, null, null, r.sparse_score, r.sparse_normalised_score, r.sparse_rank)
             ::braid_store.search_result
    from unnest(result_rows.ranked) with ordinality r,
         lateral (
           -- While the table is small, a join would read all of the tenant's documents. The look-up of the document
           -- is nested inside the look-up of the chunk. Next to it, the planner would add a cache (Memoize), which
           -- costs more than it saves.
           select c.*, d.external_id, d.title, d.source_uri
           from braid_store.chunks c,
                lateral (
                  select d.external_id, d.title, d.source_uri from braid_store.documents d
                  where d.tenant_id = result_rows.tenant_id and d.id between c.document_id and c.document_id
                  order by d.id
                  offset 0
                ) d
           where c.tenant_id = result_rows.tenant_id and c.id between r.chunk_id and r.chunk_id
           order by c.id
           offset 0
         ) c
    order by r.ordinality);
end
$$;

comment on function braid_store.result_rows(int, braid_store.fused_candidate[]) is
  'Make the rows of a search from ranked candidates, in the same order.';
