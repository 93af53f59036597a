create or replace function braid_store.narrow_filter(filter braid_store.filter, condition text)
returns braid_store.filter
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  filter.predicate := format('(%s) and (%s)', filter.predicate, condition);
  filter.is_empty := false;
  filter.share := null;
  filter.lists := filter.lists - 'is_all';
  return filter;
end
$$;

comment on function braid_store.narrow_filter(braid_store.filter, text) is
  'Return a filter with one additional condition: SQL on braid_store.chunks c.';
