create or replace function braid_store.synced_columns(relation regclass, fields jsonb)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(a.attname, jsonb_build_array(a.attnum, a.atttypid)
           -- A generated column is the rule that says who may read a row.
           || case when a.attgenerated <> '' and synced_columns.fields -> 'access' ? a.attname
                   then jsonb_build_array(md5(pg_get_expr(d.adbin, d.adrelid))) else '[]' end), '{}')
  from pg_attribute a
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
    and exists (select from jsonb_each(synced_columns.fields) f where f.value ? a.attname);
$$;

comment on function braid_store.synced_columns(regclass, jsonb) is
  'Return the number and type of each column of a user''s table that fields name, and of a generated column of '
  'access a hash of its expression.';
