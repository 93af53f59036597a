create or replace function braid_store.has_due_attributes(tenant_id int, collection_id int)
returns boolean
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_version int := braid_store.attribute_version(has_due_attributes.collection_id);
begin
  return exists (
      select from braid_store.chunks c
      where c.tenant_id = has_due_attributes.tenant_id and c.collection_id = has_due_attributes.collection_id
        and c.attribute_version < v_version)
    or exists (
      select
      from braid_store.indexed_attributes a
      where a.collection_id = has_due_attributes.collection_id and a.removed_at is not null
        -- There are two queries because there are two partial indexes.
        and (exists (select from braid_store.chunk_attributes v
                     where v.tenant_id = has_due_attributes.tenant_id and v.attribute_id = a.id
                       and v.text_value is not null offset 0)
             or exists (select from braid_store.chunk_attributes v
                        where v.tenant_id = has_due_attributes.tenant_id and v.attribute_id = a.id
                          and v.number_value is not null offset 0)));
end
$$;

comment on function braid_store.has_due_attributes(int, int) is
  'Tell whether a tenant''s part of a collection has chunks that were stored before an attribute was declared, or rows '
  'of an attribute that is no longer declared.';
