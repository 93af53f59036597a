-- role: service
create or replace function braid_store.synced_keys(synced braid_store.synced_tables, external_ids text[])
returns jsonb[]
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select case jsonb_array_length(synced.fields -> 'id') when 1 then jsonb_build_array(u.id)
      else to_jsonb(u.id::text[]) end
    from unnest(external_ids) with ordinality u (id, place)
    order by u.place);
$$;

comment on function braid_store.synced_keys(braid_store.synced_tables, text[]) is
  'Return the keys of the rows whose documents have these ids. It is the inverse of synced_external_id.';
