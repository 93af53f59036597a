create or replace function braid_store.visible_matches(tenant_id int, collection_id int, match_ids bigint[])
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
begin
  return array(
    select m.id
    from unnest(visible_matches.match_ids) u (id),
         lateral (
           select m.id, m.query_id, m.chunk_id from braid_store.standing_query_matches m
           where m.tenant_id = visible_matches.tenant_id and m.collection_id = visible_matches.collection_id
             and m.id between u.id and u.id
           order by m.id
           offset 0
         ) m,
         lateral (
           select from braid_store.standing_queries q
           where q.tenant_id = visible_matches.tenant_id and q.collection_id = visible_matches.collection_id
             and q.id between m.query_id and m.query_id
           order by q.id
           offset 0
         ) q,
         lateral (
           select c.document_id from braid_store.chunks c
           where c.tenant_id = visible_matches.tenant_id and c.id between m.chunk_id and m.chunk_id
           order by c.id
           offset 0
         ) c,
         lateral (
           select d as document from braid_store.documents d
           where d.tenant_id = visible_matches.tenant_id and d.id between c.document_id and c.document_id
           order by d.id
           offset 0
         ) d
    join braid_store.collections o on o.id = visible_matches.collection_id
    where o.parts is null or braid_store.extend_hidden_document(d.document, o) is not true);
end
$$;

comment on function braid_store.visible_matches(int, int, bigint[]) is
  'Return the given matches that the session may read. Their query and their document exist, no policy hides '
  'the document from the session, and the document does not count as absent. Policies find out once for all matches '
  'what the session may read.';
