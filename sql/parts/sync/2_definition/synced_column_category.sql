-- role: service
create or replace function braid_store.synced_column_category(relation oid, column_name text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type oid;
  v_element oid;
begin
  select a.atttypid into v_type
  from pg_attribute a
  where a.attrelid = relation and a.attname = column_name and a.attnum > 0 and not a.attisdropped;
  -- For a domain, take its base type.
  loop
    select t.typbasetype into v_element from pg_type t where t.oid = v_type;
    exit when coalesce(v_element, 0) = 0;
    v_type := v_element;
  end loop;
  return case
    when v_type is null then null
    when v_type in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) then 'integer'
    when v_type in ('float4'::regtype, 'float8'::regtype, 'numeric'::regtype) then 'number'
    when v_type = 'bool'::regtype then 'boolean'
    when v_type in ('text'::regtype, 'varchar'::regtype) then 'text'
    when v_type = 'uuid'::regtype then 'uuid'
    when v_type in ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) then 'time'
    when v_type in ('json'::regtype, 'jsonb'::regtype) then 'json'
    when v_type in ('int2[]'::regtype, 'int4[]'::regtype, 'int8[]'::regtype, 'float4[]'::regtype, 'float8[]'::regtype,
                    'numeric[]'::regtype) then 'numbers'
    when exists (select from pg_type t where t.oid = v_type and t.typcategory = 'A') then 'array'
    else 'other'
  end;
end
$$;

comment on function braid_store.synced_column_category(oid, text) is
  'Return the category of a column of a user''s table. It is integer, number, boolean, text, uuid, time, json, '
  'numbers (an array), array or other; null if there is no such column.';
