create or replace function braid_store.filtered_document_ids(
  tenant_id int,
  collection_id int,
  filter braid_store.filter,
  after text,
  match_count int,
  has_bare boolean
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- These settings make the planner look up rows by key, and read a page from the index on external_id in its order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  -- If more chunks match, a scan of the documents in order finds a page sooner.
  v_most int := least(greatest(20 * filtered_document_ids.match_count, 1000), 10000);
  v_chunk_ids bigint[] := case when not has_bare then braid_store.filtered_chunk_ids(
    filtered_document_ids.tenant_id, filtered_document_ids.collection_id, filtered_document_ids.filter, v_most) end;
  v_document_ids bigint[];
begin
  if cardinality(v_chunk_ids) <= v_most then
    return array(
      select d.id
      from (
             select distinct c.document_id
             from unnest(v_chunk_ids) u (chunk_id),
                  lateral (
                    select c.document_id from braid_store.chunks c
                    where c.tenant_id = filtered_document_ids.tenant_id and c.id between u.chunk_id and u.chunk_id
                    order by c.id
                    offset 0
                  ) c
           ) u,
           lateral (
             select d.id, d.external_id from braid_store.documents d
             where d.tenant_id = filtered_document_ids.tenant_id and d.id between u.document_id and u.document_id
             order by d.id
             offset 0
           ) d
      where d.external_id > filtered_document_ids.after
      order by d.external_id
      limit filtered_document_ids.match_count);
  end if;
  execute format($query$
    select array(
      select d.id
      from braid_store.documents d
      where d.tenant_id = $1 and d.collection_id = $2 and d.external_id > $3
        and (exists (
               select from (
                 select c.* from braid_store.chunks c
                 where c.tenant_id = $1 and c.document_id between d.id and d.id
                 order by c.document_id
                 offset 0
               ) c
               where %1$s)
             or $5 and not exists (
               select from (
                 select from braid_store.chunks c
                 where c.tenant_id = $1 and c.document_id between d.id and d.id
                 order by c.document_id
                 offset 0
               ) c)
               and exists (
               -- The filter reads what a chunk would have of the document.
               select
               from jsonb_populate_record(null::braid_store.chunks, jsonb_build_object(
                      'tenant_id', d.tenant_id, 'collection_id', d.collection_id, 'document_id', d.id,
                      'metadata', d.metadata, 'occurred_at', d.occurred_at)) c
               where %1$s))
      order by d.external_id
      limit $4)
    $query$, filtered_document_ids.filter.predicate)
  into v_document_ids
  using filtered_document_ids.tenant_id, filtered_document_ids.collection_id, filtered_document_ids.after,
        filtered_document_ids.match_count, filtered_document_ids.has_bare;
  return v_document_ids;
end
$$;

comment on function braid_store.filtered_document_ids(int, int, braid_store.filter, text, int, boolean) is
  'Return the first match_count documents, in the order of external_id, that come after the external_id `after` and '
  'have a chunk which passes a filter. has_bare: whether documents without chunks may pass it, by their own metadata.';
