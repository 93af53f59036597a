-- role: writer
create or replace function braid_calls.export_records(collection text, after text, document_count int)
returns setof jsonb
language sql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
set timezone = 'UTC'
set datestyle = 'ISO'
set bytea_output = 'hex'
set extra_float_digits = 1
as $$
  -- In a select list, a set-returning function returns its rows one by one, so only the ids of documents are held in
  -- memory.
  select braid_store.export_page(p.tenant_id, p.collection, p.document_ids)
  from (
    select t.tenant_id, c as collection, b.document_ids
    from (select braid_store.require_tenant_id() as tenant_id offset 0) t
    cross join lateral braid_store.export_batches(t.tenant_id, export_records.collection, export_records.after,
                                                  export_records.document_count) b
    join braid_store.collections c on c.id = b.collection_id
    order by b.number
    offset 0
  ) p
  union all
  -- The records of parts follow the collections, because importing a collection creates its vector space.
  select braid_store.extend_export(k.tenant_id, k.kind)
  from (
    select t.tenant_id, r.key as kind
    from (select braid_store.require_tenant_id() as tenant_id offset 0) t
    cross join braid_store.parts p
    cross join lateral jsonb_each(p.manifest -> 'records') r
    where export_records.collection is null
    order by r.value
    offset 0
  ) k;
$$;

comment on function braid_calls.export_records(text, text, int) is
  'Do the work of braid.export_tenant. Write numbers and times so that an import reads the same values under any '
  'session settings.';
