create or replace function braid_store.synced_columns(relation regclass, fields jsonb)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(a.attname, jsonb_build_array(a.attnum, a.atttypid)), '{}')
  from pg_attribute a
  where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
    and exists (select from jsonb_each(synced_columns.fields) f where f.value ? a.attname);
$$;

comment on function braid_store.synced_columns(regclass, jsonb) is
  'Return the number and type of each column of a user''s table that fields name.';
