create or replace function braid_store.extend_given_filters_validity(inout filters jsonb, collection_id int)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if coalesce(jsonb_typeof(filters), 'null') in ('null', 'object') and braid_store.has_validity(collection_id) then
    filters := braid_store.timed_filters(coalesce(nullif(filters, 'null'), '{}'), 1) || '{"$unexpired": true}';
  end if;
end
$$;

comment on function braid_store.extend_given_filters_validity(jsonb, int) is
  'Let a search find only what has not expired and, unless its filters say another time, what is valid now.';
