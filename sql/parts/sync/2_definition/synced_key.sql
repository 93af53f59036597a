-- role: service
create or replace function braid_store.synced_key(fields jsonb)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format('jsonb_build_array(%s)', string_agg(braid_store.synced_value(c.value), ', ' order by c.ordinality))
  from jsonb_array_elements_text(synced_key.fields -> 'id') with ordinality c;
$$;

comment on function braid_store.synced_key(jsonb) is
  'Return SQL for the key of a row t of a synced table, an array of texts.';
