create or replace function braid_store.compile_filter(
  filters jsonb,
  tenant_id int,
  collection_id int,
  asks_parts boolean default true
)
returns braid_store.filter
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_filter braid_store.filter;
begin
  if asks_parts then
    filters := braid_store.extend_given_filters(filters, collection_id);
  end if;
  v_filter.predicate := braid_store.filter_predicate(compile_filter.filters, compile_filter.tenant_id,
                                                     compile_filter.collection_id);
  v_filter.is_empty := v_filter.predicate = 'true';
  if not v_filter.is_empty then
    v_filter.source := braid_store.filter_source(compile_filter.filters, compile_filter.tenant_id,
                                                 compile_filter.collection_id);
    if v_filter.source is null then
      v_filter.lists := braid_store.listed_conditions(compile_filter.filters);
    end if;
  end if;
  if compile_filter.asks_parts then
    v_filter := braid_store.extend_filter(v_filter, compile_filter.tenant_id, compile_filter.collection_id);
  end if;
  return v_filter;
end
$$;

comment on function braid_store.compile_filter(jsonb, int, int, boolean) is
  'Return the filter of a search, compiled to SQL. Raise 22023 for an invalid filter. asks_parts: whether parts may '
  'narrow it; give false only for collections that have no settings of parts.';
