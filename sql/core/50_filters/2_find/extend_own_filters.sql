create or replace function braid_store.extend_own_filters(inout filters jsonb, call_filters jsonb, collection_id int)
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

comment on function braid_store.extend_own_filters(jsonb, jsonb, int) is
  'Extension point: let parts add to filters that one piece of a call has instead of the call''s filters. The '
  'conditions of the call''s filters that hold for the whole call are added. call_filters are valid, or null.';
