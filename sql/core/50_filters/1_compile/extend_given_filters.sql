create or replace function braid_store.extend_given_filters(inout filters jsonb, collection_id int)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_given_filters(jsonb, int) is
  'Extension point: let parts add conditions to the filters that a caller gives, in the filter language. filters may '
  'be null, or invalid. Filters that have the conditions already stay as they are.';
