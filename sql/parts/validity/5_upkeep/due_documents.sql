create or replace function braid_store.due_documents(
  tenant_id int,
  collection braid_store.collections,
  expiry_id int,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- These settings make the planner read the indexes in their order.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_now text := braid_store.instant_text(clock_timestamp());
  v_oldest timestamptz := clock_timestamp() - make_interval(days => (collection.parts ->> 'retention_days')::int);
  v_ids bigint[] := '{}';
begin
  if expiry_id is not null then
    v_ids := array(
      select distinct e.document_id
      from (
        select c.document_id
        from (
               select a.chunk_id from braid_store.chunk_attributes a
               where a.tenant_id = due_documents.tenant_id and a.attribute_id = due_documents.expiry_id
                 and a.text_value <= v_now
               order by a.text_value
               offset 0
             ) a,
             lateral (
               select c.document_id from braid_store.chunks c
               where c.tenant_id = due_documents.tenant_id and c.id between a.chunk_id and a.chunk_id
               order by c.id
               offset 0
             ) c,
             lateral (
               select d.metadata from braid_store.documents d
               where d.tenant_id = due_documents.tenant_id and d.id between c.document_id and c.document_id
               order by d.id
               offset 0
             ) d
        where (d.metadata ->> 'expires_at') collate "C" <= v_now
        limit due_documents.max_count
      ) e);
  elsif (collection.parts -> 'validity')::boolean then
    v_ids := array(
      select d.id from braid_store.documents d
      where d.tenant_id = due_documents.tenant_id and d.collection_id = (due_documents.collection).id
        and (d.metadata ->> 'expires_at') collate "C" <= v_now
      limit due_documents.max_count);
  end if;
  if v_ids = '{}' and v_oldest is not null then
    v_ids := array(
      select distinct o.document_id
      from (
        select c.document_id
        from (
               select c.document_id from braid_store.chunks c
               where c.tenant_id = due_documents.tenant_id and c.collection_id = (due_documents.collection).id
                 and c.occurred_at < v_oldest
               order by c.occurred_at
               offset 0
             ) c,
             lateral (
               select d.occurred_at from braid_store.documents d
               where d.tenant_id = due_documents.tenant_id and d.id between c.document_id and c.document_id
               order by d.id
               offset 0
             ) d
        where d.occurred_at < v_oldest
        limit due_documents.max_count
      ) o);
  end if;
  return v_ids;
end
$$;

comment on function braid_store.due_documents(int, braid_store.collections, int, int) is
  'Return documents that have expired or are older than the retention of their collection, found by up to max_count '
  'chunks. expiry_id: the declared attribute expires_at; if it is null, all documents are read.';
