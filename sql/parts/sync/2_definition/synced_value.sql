-- role: service
create or replace function braid_store.synced_value(column_name text)
returns text
language sql
immutable
strict
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- "is not null" is false for a composite value with a null in it. format calls the type's output function, which only
  -- superusers can create. A cast could be any role's function.
  select format('case when t.%1$I is distinct from null then format(''%%s'', t.%1$I) end', column_name);
$$;

comment on function braid_store.synced_value(text) is
  'Return SQL for a column of a row t of a user''s table as text. The SQL runs no other role''s code.';
