create or replace function braid_store.result_rows(
  tenant_id int,
  ranked braid_store.fused_candidate[]
)
returns braid.search_result[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    select row(r.chunk_id, c.document_id, c.external_id, c.chunk_index, c.title, c.content, c.source_uri, c.speaker,
               c.category, c.importance, c.occurred_at, c.created_at, c.token_count, c.metadata, r.score,
               r.full_text_score, r.full_text_normalised_score, r.full_text_rank,
               r.semantic_score, r.semantic_normalised_score, r.semantic_rank, null, r.fused_score, r.boosts,
               r.group_score, null, null, null, null, r.sparse_score, r.sparse_normalised_score, r.sparse_rank)
             ::braid.search_result
    from unnest(result_rows.ranked) with ordinality r,
         lateral (
           -- The document is joined here, not looked up by a lateral of its own: the planner would cache that, which
           -- costs more than it saves.
           select c.*, d.external_id, d.title, d.source_uri
           from braid_store.chunks c
           join braid_store.documents d on d.tenant_id = result_rows.tenant_id and d.id = c.document_id
           where c.tenant_id = result_rows.tenant_id and c.id = r.chunk_id
           offset 0
         ) c
    order by r.ordinality);
end
$$;

comment on function braid_store.result_rows(int, braid_store.fused_candidate[]) is
  'Makes the rows of a search from ranked candidates, in the same order.';
