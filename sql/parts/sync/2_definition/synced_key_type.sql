-- role: service
create or replace function braid_store.synced_key_type(relation oid, column_name text)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case braid_store.synced_column_category(relation, column_name)
           when 'integer' then 'int8' when 'uuid' then 'uuid' else 'text' end;
$$;

comment on function braid_store.synced_key_type(oid, text) is
  'Return the built-in type as which values of a key''s column are compared, so that the column''s index is used.';
