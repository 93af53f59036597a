create or replace function braid_store.match_is_visible(
  tenant_id int,
  collection_id int,
  query_id bigint,
  chunk_id bigint
)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
begin
  return exists (
    select
    from (
           select from braid_store.standing_queries q
           where q.tenant_id = match_is_visible.tenant_id and q.collection_id = match_is_visible.collection_id
             and q.id between match_is_visible.query_id and match_is_visible.query_id
           order by q.id
           offset 0
         ) q,
         lateral (
           select c.document_id from braid_store.chunks c
           where c.tenant_id = match_is_visible.tenant_id
             and c.id between match_is_visible.chunk_id and match_is_visible.chunk_id
           order by c.id
           offset 0
         ) c,
         lateral (
           select d as document from braid_store.documents d
           where d.tenant_id = match_is_visible.tenant_id and d.id between c.document_id and c.document_id
           order by d.id
           offset 0
         ) d
    join braid_store.collections o on o.id = match_is_visible.collection_id
    where o.parts is null or braid_store.extend_hidden_document(d.document, o) is not true);
end
$$;

comment on function braid_store.match_is_visible(int, int, bigint, bigint) is
  'Tell whether the session may read a match: its query and its document exist, no policy hides the document from '
  'the session, and the document does not count as absent.';
