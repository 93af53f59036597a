create or replace function braid_store.export_batches(tenant_id int, collection text, after text, document_count int)
returns table (number bigint, collection_id int, document_ids bigint[])
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- Make the planner read the unique index on external_id in order. Without statistics, it would read and sort all
-- remaining documents for each batch.
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 200;
  v_collection_id int;
  -- Under row-level security, a coalesce in the condition would keep the index from being used.
  v_after text := coalesce(export_batches.after, '');
begin
  if export_batches.collection is null and (export_batches.after is not null
    or export_batches.document_count is not null)
  then
    raise exception 'after or document_count is given, and collection is null'
      using errcode = '22023', hint = 'Name the collection to export in pages.';
  elsif export_batches.document_count < 0 then
    raise exception 'document_count is %', export_batches.document_count
      using errcode = '22023', hint = 'Use 0 or more, or leave it out for all documents.';
  elsif export_batches.collection is not null then
    v_collection_id := (braid_store.find_collection(export_batches.collection)).id;
  end if;

  return query
  with documents as (
    select c.name, c.id as collection_id, d.id, d.external_id
    from braid_store.collections c,
         lateral (
           select d.id, d.external_id from braid_store.documents d
           where d.tenant_id = export_batches.tenant_id and d.collection_id = c.id
             and d.external_id > v_after
             and (c.parts is null or braid_store.extend_hidden_document(d, c) is not true)
           order by d.external_id
           limit export_batches.document_count
           offset 0
         ) d
    where c.id = coalesce(v_collection_id, c.id)
  ), batches as (
    -- A null array stands for the definition of the collection, which comes before its documents.
    select d.name, d.collection_id, 0 as batch, null::bigint[] as document_ids
    from documents d
    where export_batches.after is null
    group by d.name, d.collection_id
    union all
    select n.name, n.collection_id, n.batch, array_agg(n.id order by n.external_id)
    from (
      select d.*, 1 + (row_number() over (partition by d.collection_id
        order by d.external_id) - 1) / c_batch_size as batch
      from documents d
    ) n
    group by n.name, n.collection_id, n.batch
  )
  select row_number() over (order by b.batch > 0, b.name, b.batch), b.collection_id, b.document_ids
  from batches b;
end
$$;

comment on function braid_store.export_batches(int, text, text, int) is
  'Return what to export, in order, in batches of document ids. A batch with document_ids null stands for the '
  'definition of its collection. collection: null takes all collections that the tenant uses. after and '
  'document_count are as in export_tenant.';
