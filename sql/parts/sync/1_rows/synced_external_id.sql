-- role: service
create or replace function braid_store.synced_external_id(key jsonb)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- A key of several columns is written as PostgreSQL writes an array of their values.
  select case jsonb_array_length(key) when 1 then key ->> 0
              else array(select e.value from jsonb_array_elements_text(key) with ordinality e
                order by e.ordinality)::text
         end;
$$;

comment on function braid_store.synced_external_id(jsonb) is
  'Return the external_id of the document for a row with this key.';
